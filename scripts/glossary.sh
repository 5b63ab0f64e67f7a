#!/bin/sh
# Words of a private dialect, and what the field says instead. Fails where one stands in a document, in the C header, or in a
# comment of the sources. With `-` it reads standard input alone: a test runs it over the help of every command and filter.
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

# Words of what users read: comments may use them.
phrases='is said|is reported
are said|are reported
and said|with a warning
said once|reported once
what becomes of|how it is handled
one behind the other|one after the other
goes on where|resumes where
called so|marked, named
nobody|no one, nothing
whoever|who, the one that
so many more|further
gets its name|is renamed
once more|again, a second time'

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

# Fails if `$1` is in a line of the documents.
refuse_in_documents() {
    ! grep -rniwE --include='*.md' --include='*.h' "$1" $documents
}

# Fails if `$1` is in a comment, of which code in backticks is no part.
refuse_in_comments() {
    ! printf '%s\n' "$remarks" | grep -iwE "//.*\b($1)\b"
}

# Fails if `$1` is in `$text`.
refuse_in_text() {
    ! printf '%s\n' "$text" | grep -iowE ".{0,40}\b($1)\b.{0,40}"
}

# Refuses each word of the list `$1` by the functions after it.
refuse() {
    list=$1
    shift
    while IFS='|' read -r word instead; do
        for where in "$@"; do
            "refuse_in_$where" "$word" && continue
            echo "glossary: not \"$word\" but: $instead" >&2
            found=1
        done
    done <<EOF
$list
EOF
}

if [ "${1-}" = - ]; then
    # Phrases may go over the ends of lines.
    text=$(tr -s '[:space:]' ' ')
    refuse "$words" text
    refuse "$phrases" text
else
    remarks=$(grep -rnE --include='*.rs' --include='*.cu' --include='*.cuh' --include='*.py' '^ *//|;  *//|[{,]  *//' $sources |
        sed -E 's/^([^:]*:[0-9]*:).*[^:]?(\/\/.*)$/\1\2/; s/`[^`]*`//g')
    refuse "$words" documents comments
    refuse "$phrases" documents
    refuse "$comments" comments
fi
exit $found
