#!/bin/sh
# Words of a private dialect, and what the field says instead. Fails where one stands in a document, in the C header, in the
# help of the command, or in a comment of the sources.
set -eu
cd "$(dirname "$0")/.."

words='told|given, reported
tell|state, report, distinguish
tells|states, reports
telling|giving, reporting
stranger|foreign
passed on|copied, forwarded
passes on|copies, forwards
stands in for|replaces, is replicated
stand in for|replace, are replicated
held against|compared with
what it takes|accepts, requirements
texts* of hashes|hash file
does without|use --device cpu
lets go of|releases
lent|borrowed, wrapped'

# Words of comments alone: documents may use them.
comments='on its way|in flight, not written yet
on their way|in flight, not written yet
on the way|in between, while reading
has come|has arrived, is complete
comes* out|is given, is decoded
what comes of|the result of
what is said of|how it is described
the crew|the pool
the door|the port, the interface'

documents="README.md CONTRIBUTING.md SECURITY.md docs samples/README.md samples/commands.md plugin-abi/include"
sources="src plugin-abi/src plugin-abi/tests tests cuda build.rs"

found=0

# Fails if `$1` is in a line of the documents, or in a comment, of which code in backticks is no part.
refuse_everywhere() {
    grep -rniwE --include='*.md' --include='*.h' "$1" $documents && return 1
    refuse_in_comments "$1"
}

refuse_in_comments() {
    ! grep -rnE --include='*.rs' --include='*.cu' --include='*.cuh' --include='*.py' '^ *//|;  *//|[{,]  *//' $sources |
        sed -E 's/^([^:]*:[0-9]*:).*[^:]?(\/\/.*)$/\1\2/; s/`[^`]*`//g' | grep -iwE "//.*\b($1)\b"
}

while IFS='|' read -r word instead; do
    if ! refuse_everywhere "$word"; then
        echo "glossary: not \"$word\" but: $instead" >&2
        found=1
    fi
done <<EOF
$words
EOF

while IFS='|' read -r word instead; do
    if ! refuse_in_comments "$word"; then
        echo "glossary: not \"$word\" but: $instead" >&2
        found=1
    fi
done <<EOF
$comments
EOF
exit $found
