use super::*;
use proptest::prelude::*;

fn call(name: &str, args: &[(&str, &str)]) -> Call {
    let arg = |(key, value): &(&str, &str)| Arg {
        key: (!key.is_empty()).then(|| (*key).to_owned()),
        value: (*value).to_owned(),
    };
    Call { name: name.to_owned(), args: args.iter().map(arg).collect() }
}

fn fault(text: &str) -> String {
    let error = parse_chain(text).expect_err(text);
    assert_eq!(error.kind(), crate::error::Kind::BadArgument);
    assert!(!error.message().contains('\n') && error.message().chars().count() < 300, "{error}");
    error.message().to_owned()
}

#[test]
fn ffmpeg_spelling() {
    let chain = vec![
        call("deband", &[("range", "16"), ("sample", "2")]),
        call("depth", &[("", "10")]),
        call("hflip", &[]),
        call("bilateral", &[("sigma_s", "3.5"), ("ref", "luma")]),
    ];
    let text = "deband=range=16:sample=2,depth=10,hflip,bilateral=sigma_s=3.5:ref=luma";
    assert_eq!(parse_chain(text).unwrap(), chain);
    assert_eq!(print_chain(&chain, Spelling::FFmpeg), text);
    assert_eq!(chain[0].to_string(), "deband=range=16:sample=2");
}

#[test]
fn plain_spelling() {
    let chain = vec![
        call("deband", &[("range", "16"), ("sample", "2")]),
        call("depth", &[("", "10"), ("dither", "fs")]),
        call("hflip", &[]),
    ];
    let text = "deband(range 16, sample 2) > depth(10, dither fs) > hflip";
    assert_eq!(parse_chain(text).unwrap(), chain);
    assert_eq!(print_chain(&chain, Spelling::Plain), text);
    assert_eq!(parse_chain("deband(range=16,sample=2)>depth(10,dither fs)>hflip()").unwrap(), chain);
    assert_eq!(parse_chain("deband(range 16, sample 2), depth=10:dither=fs > hflip").unwrap(), chain);
}

#[test]
fn the_empty_chain() {
    for text in ["", " ", "\n\t\r\n", "# nothing", "# nothing\n  # here\n"] {
        assert_eq!(parse_chain(text).unwrap(), []);
    }
    assert_eq!(print_chain(&[], Spelling::FFmpeg), "");
    assert_eq!(print_chain(&[], Spelling::Plain), "");
}

#[test]
fn chain_files_have_lines_and_comments() {
    let expected = vec![call("deband", &[("range", "16"), ("sample", "2")]), call("depth", &[("", "10")])];
    let ffmpeg = "# Dark scenes.\n  deband =\r\n    range = 16 :  # pixels\n    sample=2#four\n  , depth=10\n# end";
    assert_eq!(parse_chain(ffmpeg).unwrap(), expected);
    let plain = "deband( # Dark scenes.\n\trange 16,\n\tsample # four\n 2 )\n> depth (10)\n";
    assert_eq!(parse_chain(plain).unwrap(), expected);
}

#[test]
fn quotes_and_escapes() {
    for (written, value) in [
        (r"a\:b\,c\=d\\e\'f\ g", r"a:b,c=d\e'f g"),
        (r"'a:b,c=d\e f'", r"a:b,c=d\e f"),
        (r"'it'\''s'", "it's"),
        (r"x'y z'w", "xy zw"),
        ("''", ""),
        (r#""""#, ""),
        (r#""a \"b\" \\ \x3a\x7C\x0a;""#, "a \"b\" \\ :|\n;"),
        ("'# no comment'", "# no comment"),
        ("'two\nlines'", "two\nlines"),
        (r"\#1", "#1"),
        ("größe_𝄞", "größe_𝄞"),
        ("-1.5e+3/2*%@~|", "-1.5e+3/2*%@~|"),
    ] {
        let keyed = vec![call("f", &[("k", value)])];
        assert_eq!(parse_chain(&format!("f=k={written}")).unwrap(), keyed, "{written}");
        assert_eq!(parse_chain(&format!("f(k {written})")).unwrap(), keyed, "{written}");
        let positional = vec![call("f", &[("", value)])];
        assert_eq!(parse_chain(&format!("f={written}")).unwrap(), positional, "{written}");
        assert_eq!(parse_chain(&format!("f({written})")).unwrap(), positional, "{written}");
    }
}

#[test]
fn printing_quotes_only_where_it_must() {
    let chain = [call("f", &[("file", r"C:\a b's|.txt"), ("empty", ""), ("rate", "30000/1001")])];
    assert_eq!(print_chain(&chain, Spelling::FFmpeg), r"f=file='C:\a b'\''s|.txt':empty='':rate=30000/1001");
    let plain = r#"f(file "C\x3a\\a b\x27s\x7c.txt", empty "", rate 30000/1001)"#;
    assert_eq!(print_chain(&chain, Spelling::Plain), plain);
}

#[test]
fn faults_say_where_and_what() {
    for (text, message) in [
        ("=", "chain, column 1: expected a filter's name, found '=', near '='"),
        ("10", "chain, column 1: expected a filter's name, found '1', near '10'"),
        ("deband,", "chain, column 8: expected a filter's name, found the end, near 'deband,'"),
        ("deband,,depth", "chain, column 8: expected a filter's name, found ',', near 'deband,,depth'"),
        (
            "deband range=16",
            "chain, column 8: expected '=' or '(' before options, or ',' or '>' before another filter, found 'r', \
             near 'deband range=16'",
        ),
        ("deband=", "chain, column 8: expected a value, found the end, near 'deband='"),
        ("deband=range=:sample=2", "chain, column 14: expected a value, found ':', near 'deband=range=:sample=2'"),
        ("deband=range=16:", "chain, column 17: expected a value, found the end, near 'deband=range=16:'"),
        ("deband=1.5=16", "chain, column 8: expected an option's name, found '1', near 'deband=1.5=16'"),
        (
            "deband=range=16=2",
            "chain, column 16: expected ':' before another option, or ',' before another filter, found '=', \
             near 'deband=range=16=2'",
        ),
        ("deband(", "chain, column 8: expected a value, found the end, near 'deband('"),
        (
            "deband(range 16; sample 2)",
            "chain, column 16: expected ',' before another option, or ')' after the last, found ';', \
             near 'deband(range 16; sample 2)'",
        ),
        ("deband(1.5 16)", "chain, column 8: expected an option's name, found '1', near 'deband(1.5 16)'"),
        (
            "deband()depth",
            "chain, column 9: expected ',' or '>' before another filter, found 'd', near 'deband()depth'",
        ),
        ("f='abc", "chain, column 3: this quote is not closed, near 'f='abc'"),
        ("f(\"abc)", "chain, column 3: this quote is not closed, near 'f(\"abc)'"),
        ("f=a\\", "chain, column 5: expected a character after '\\', found the end, near 'f=a\\'"),
        (r#"f("a\q")"#, r#"chain, column 6: expected '\', '"' or x00 to x7f after '\', found 'q', near 'f("a\q")'"#),
        (
            "f\0",
            "chain, column 2: expected '=' or '(' before options, or ',' or '>' before another filter, found '\\0', near 'f '",
        ),
        (
            "deband=range=16,\n# then\ndäpth=10\n",
            "chain, line 3, column 2: expected '=' or '(' before options, or ',' or '>' before another filter, \
             found 'ä', near 'däpth=10'",
        ),
    ] {
        assert_eq!(fault(text), message);
    }
    for escape in ["x", "x4", "x80", "xé", "x4é", "x+1", "", "é"] {
        let message = fault(&format!("f(\"\\{escape}\")"));
        assert!(message.contains("after '\\'") || message.contains("not closed"), "{message}");
    }
}

#[test]
fn long_chains() {
    let message = "chain, column 5005: expected a value, found '=', \
                   near '…aaaaaaaaaaaaaaaaaaaaaaa:=bbbbbbbbbbbbbbbbbbbbbbb…'";
    assert_eq!(fault(&format!("f=k={}:={}", "a".repeat(4999), "b".repeat(5000))), message);

    let value = "é".repeat(5000);
    assert_eq!(parse_chain(&format!("f={value}")).unwrap(), [call("f", &[("", &value)])]);
    let many = vec!["depth=10"; MAX_CHAIN_FILTERS].join(",");
    assert_eq!(parse_chain(&many).unwrap().len(), MAX_CHAIN_FILTERS);
    assert!(fault(&format!("{many},hflip")).contains("more than 256 filters"));
    assert!(fault(&" ".repeat(MAX_CHAIN_BYTES + 1)).contains("65537 bytes long; 65536 are allowed"));
    assert_eq!(parse_chain(&" ".repeat(MAX_CHAIN_BYTES)).unwrap(), []);

    let name = "n".repeat(64);
    assert_eq!(parse_chain(&name).unwrap(), [call(&name, &[])]);
    assert!(fault(&format!("{name}n")).contains("expected a filter's name"));
    assert!(fault(&format!("f={name}n=1")).contains("expected an option's name"));

    for noise in ["(", ")", "'", "\"", "\\", "=", ",", "f(", "f=", "f='", "#\n", "f,", "f(a,", "f=a:", "\u{a0}", "\0"] {
        // Whatever the result, it is quick, on one line.
        if let Err(error) = parse_chain(&noise.repeat(10_000)) {
            assert!(error.message().chars().count() < 300, "{error}");
        }
    }
}

fn any_call() -> impl Strategy<Value = Call> {
    let name = || "[A-Za-z_][A-Za-z0-9_-]{0,63}";
    // Mostly the characters that mean something, so that quoting is tried in every combination.
    let value =
        || prop_oneof!["[,:;=()\\[\\]>#'\"\\\\| \na\u{e9}x0]{0,12}", "\\PC{0,8}", "(?s).{0,8}", "-?[0-9.]{1,5}"];
    let arg = (prop::option::of(name()), value()).prop_map(|(key, value)| Arg { key, value });
    (name(), prop::collection::vec(arg, 0..5)).prop_map(|(name, args)| Call { name, args })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_parses_back(chain in prop::collection::vec(any_call(), 0..6)) {
        let plain = print_chain(&chain, Spelling::Plain);
        prop_assert_eq!(&parse_chain(&print_chain(&chain, Spelling::FFmpeg)).unwrap(), &chain);
        prop_assert_eq!(&parse_chain(&plain).unwrap(), &chain);
        prop_assert!(!plain.contains(['=', ';', ':', '\'', '|', '\n']), "{}", plain);
    }

    #[test]
    fn arbitrary_text_parses_or_fails_in_one_line(
        text in prop_oneof!["(?s).{0,64}", "[a-c0-9,:=()>#'\"\\\\x \n]{0,64}"],
    ) {
        match parse_chain(&text) {
            Ok(chain) => prop_assert_eq!(parse_chain(&print_chain(&chain, Spelling::Plain)).unwrap(), chain),
            Err(error) => prop_assert!(!error.message().contains('\n') && error.message().len() < 600),
        }
    }
}
