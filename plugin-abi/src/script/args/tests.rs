use super::*;
use std::collections::HashMap;
use vramp::filters::ALL;

/// A script's arguments.
#[derive(Default)]
struct Given(HashMap<&'static str, Value>);

enum Value {
    Ints(Vec<i64>),
    Float(f64),
    Data(Vec<u8>),
}

impl Given {
    fn ints(mut self, key: &'static str, value: &[i64]) -> Given {
        self.0.insert(key, Value::Ints(value.to_vec()));
        self
    }

    fn int(self, key: &'static str, value: i64) -> Given {
        self.ints(key, &[value])
    }

    fn float(mut self, key: &'static str, value: f64) -> Given {
        self.0.insert(key, Value::Float(value));
        self
    }

    fn data(mut self, key: &'static str, value: impl AsRef<[u8]>) -> Given {
        self.0.insert(key, Value::Data(value.as_ref().to_vec()));
        self
    }
}

impl ScriptArgs for Given {
    fn ints(&self, key: &str) -> Option<Vec<i64>> {
        self.0.get(key).map(|value| if let Value::Ints(list) = value { list.clone() } else { panic!("{key}") })
    }

    fn float(&self, key: &str) -> Option<f64> {
        self.0.get(key).map(|value| if let Value::Float(number) = value { *number } else { panic!("{key}") })
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn keys(&self) -> Vec<String> {
        self.0.keys().map(|key| (*key).to_owned()).collect()
    }

    fn data(&self, key: &str) -> Option<Vec<u8>> {
        self.0.get(key).map(|value| if let Value::Data(bytes) = value { bytes.clone() } else { panic!("{key}") })
    }
}

fn filter(name: &str) -> &'static Descriptor {
    filters::find(name).unwrap()
}

fn called(name: &str, format: &str, given: &Given) -> Result<String> {
    call(filter(name), format.parse().unwrap(), given).map(|call| call.to_string())
}

fn refused(name: &str, format: &str, given: &Given) -> String {
    called(name, format, given).unwrap_err().message().to_owned()
}

#[test]
fn what_is_left_out_is_auto() {
    for filter in ALL {
        for param in filter.schema.params.iter().filter(|param| param.auto && (param.default)() != AUTO) {
            let given = Given::default().int(param.name, -1);
            let want = format!("{}={}=auto", filter.name, param.name);
            assert_eq!(called(filter.name, "yuv420p", &given).unwrap(), want);
        }
        assert_eq!(called(filter.name, "yuv420p", &Given::default()).unwrap(), filter.name);
    }
}

#[test]
fn values_become_a_call() {
    let given = Given::default().int("range", 16).int("blur_first", 1).int("rand_each_frame", 0).data("field", "on");
    let expected = "deband=range=16:blur_first=on:rand_each_frame=off:field=on";
    assert_eq!(called("deband", "yuv420p", &given).unwrap(), expected);
    let given = Given::default().float("sigma", 1.25).data("preset", "x").ints("planes", &[2, 1]);
    assert!(refused("gauss", "yuv420p", &given).starts_with("preset must be one of "));
    let given = Given::default().float("sigma", 1.25).ints("planes", &[2, 1]);
    assert_eq!(called("gauss", "yuv420p", &given).unwrap(), "gauss=sigma=1.25:planes=uv");
    let given = Given::default().int("seed", -1).data("preset", "anime");
    assert_eq!(called("deband", "gray8", &given).unwrap(), "deband=preset=anime:seed=-1");
}

#[test]
fn every_parameter_takes_its_limits_and_nothing_beyond() {
    for filter in ALL {
        for param in filter.schema.params {
            let name = param.name;
            let (inside, outside) = match param.kind {
                // Tests of their own give planes and clips.
                _ if names_planes(param) || pictures(filter).contains(&name) => continue,
                ParamKind::Bool => (vec![Given::default().int(name, 1), Given::default().int(name, 7)], Vec::new()),
                ParamKind::Int { min, max } => (
                    vec![Given::default().int(name, min), Given::default().int(name, max)],
                    vec![
                        Given::default().int(name, min - if minus_one_is_auto(param) { 2 } else { 1 }),
                        Given::default().int(name, max + 1),
                    ],
                ),
                ParamKind::Float { min, max } => (
                    vec![Given::default().float(name, min), Given::default().float(name, max)],
                    vec![Given::default().float(name, max.next_up()), Given::default().float(name, f64::NAN)],
                ),
                ParamKind::Choice(words) => (
                    words.iter().map(|word| Given::default().data(name, word)).collect(),
                    vec![Given::default().data(name, "no such"), Given::default().data(name, b"\xff")],
                ),
                // Which texts it accepts, the filter says when it is made.
                ParamKind::Text(_) => (vec![Given::default().data(name, "any")], Vec::new()),
                ParamKind::Name => {
                    (vec![Given::default().data(name, "mask")], vec![Given::default().data(name, "no such")])
                }
            };
            for given in inside {
                let call = call(filter, "yuv420p".parse().unwrap(), &given).unwrap();
                assert_eq!(call.args.len(), 1, "{name}");
                filter.schema.resolve(&call).unwrap();
            }
            for given in outside {
                let message = refused(filter.name, "yuv420p", &given);
                assert!(message.starts_with(&format!("{name} must be ")), "{message}");
            }
        }
    }
}

#[test]
fn refusals_say_what_is_allowed() {
    for (name, given, message) in [
        ("deband", Given::default().int("range", 300), "range must be a whole number from 0 to 127 (samples), not 300"),
        (
            "deband",
            Given::default().data("field", "onn"),
            "field must be one of auto, off, on, not 'onn'; did you mean 'on'?",
        ),
        ("deband", Given::default().data("field", b"\xff\xfe"), "field must be UTF-8 text"),
        ("gauss", Given::default().ints("planes", &[0, 3]), "planes has 3, but yuv420p has planes 0 to 2"),
        ("gauss", Given::default().ints("planes", &[1, 1]), "planes has 1 twice"),
        ("gauss", Given::default().ints("planes", &[]), "planes is empty"),
    ] {
        assert_eq!(refused(name, "yuv420p", &given), message);
    }
}

#[test]
fn every_set_of_planes_has_a_word() {
    for (format, count) in [("gray8", 1usize), ("yuv420p", 3), ("gbrp", 3)] {
        let format: Format = format.parse().unwrap();
        for set in 1..1 << count {
            let list: Vec<i64> = (0..count as i64).filter(|i| set >> i & 1 == 1).collect();
            let word = planes(&list, format).unwrap();
            let found = PlaneSet::ALL[PlaneSet::WORDS.iter().position(|known| *known == word).unwrap()];
            (0..count)
                .for_each(|i| assert_eq!(found.has(format, i), list.contains(&(i as i64)), "{format} {word} {i}"));
        }
    }
}

#[test]
fn the_common_arguments() {
    let format: Format = "yuv420p".parse().unwrap();
    assert_eq!(device(&Given::default()).unwrap(), DeviceChoice::Auto);
    assert_eq!(device(&Given::default().data("device", "cuda:1")).unwrap(), DeviceChoice::Cuda(1));
    assert!(device(&Given::default().data("device", "gpu")).unwrap_err().message().contains("use auto, cpu"));
    assert_eq!(last_call(format, &Given::default()).unwrap(), None);
    let end = last_call(format, &Given::default().int("depth", 10)).unwrap().unwrap();
    assert_eq!(filters::create(&end).unwrap().call().to_string(), "depth=bits=10");
    let message = last_call(format, &Given::default().int("depth", 17)).unwrap_err();
    assert_eq!(message.message(), "depth must be a whole number from 8 to 16 (bits), not 17");
    // The filter that sets the depth has its own argument for it.
    assert!(!arguments(filter("depth")).contains(&(DEPTH, Type::Int)));
}
