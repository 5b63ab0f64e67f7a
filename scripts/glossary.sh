#!/bin/sh
# Words that users should not meet, and what the field says instead. Fails where one stands in a document, in the C header or
# in the help of the command.
set -eu
cd "$(dirname "$0")/.."

words='told|given, reported
telling|giving, reporting
stranger|foreign
passed on|copied
passes on|copies
stands in for|replaces, is replicated
stand in for|replace, are replicated
what it takes|accepts, requirements
texts* of hashes|hash file
does without|use --device cpu
lets go of|releases
lent|borrowed, wrapped'

places="README.md CONTRIBUTING.md SECURITY.md docs samples/README.md samples/commands.md plugin-abi/include
$(find src/cli -name args.rs) $(find src/cli/args -name '*.rs' 2>/dev/null || true) src/cli/argv.rs"

found=0
while IFS='|' read -r word instead; do
    # Help is written in documentation comments: other lines of the sources are no matter of this.
    if grep -rniwE --include='*.md' --include='*.h' "$word" $places ||
        grep -rnwE --include='*.rs' "^ *///.*\b$word\b.*" $places; then
        echo "glossary: not \"$word\" but: $instead" >&2
        found=1
    fi
done <<EOF
$words
EOF
exit $found
