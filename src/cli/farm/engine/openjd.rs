//! A job template of Open Job Description 2023-09, which AWS Deadline Cloud and the `openjd` command run.
//!
//! <https://github.com/OpenJobDescription/openjd-specifications/wiki/2023-09-Template-Schemas>

use super::MissingParts;
use serde_json::{Value, json};
use std::path::Path;

/// The longest name of a job.
const LONGEST_NAME: usize = 128;

/// Seconds between the request to stop and the end: a part at work is given up cleanly.
const NOTICE: u32 = 30;

/// The template: a step with a task for each part of `work`, and one that joins.
pub fn template(work: &MissingParts) -> Value {
    // Defaults of paths are relative to the template.
    let beside = Path::new(&work.folder).file_name().map(|name| name.to_string_lossy());
    let name: String = format!("vramp {}", work.film).chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    let parts = json!({
        "name": "Parts",
        "parameterSpace": {
            "taskParameterDefinitions": [{"name": "Part", "type": "INT", "range": work.missing.to_string()}]
        },
        "script": script(&["part", "{{Param.Plan}}", "{{Task.Param.Part}}"]),
    });
    let mut join = json!({"name": "Join", "script": script(&["join", "{{Param.Plan}}"])});
    let steps = match work.missing.is_empty() {
        true => vec![join],
        false => {
            join["dependencies"] = json!([{"dependsOn": "Parts"}]);
            vec![parts, join]
        }
    };
    json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": name,
        "parameterDefinitions": [
            {
                "name": "Plan", "type": "PATH", "objectType": "DIRECTORY", "dataFlow": "INOUT", "default": beside,
                "description": "The plan's folder: beside this template by default.",
            },
            {"name": "Vramp", "type": "STRING", "default": work.program, "description": "The program."},
        ],
        "steps": steps,
    })
}

/// A script that runs vramp with `args`.
fn script(args: &[&str]) -> Value {
    json!({"actions": {"onRun": {
        "command": "{{Param.Vramp}}",
        "args": args,
        "cancelation": {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": NOTICE},
    }}})
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;
    use crate::farm::Ranges;

    #[test]
    fn the_join_depends_on_the_parts() {
        let template = template(&work("0-3,7", 1));
        let steps = template["steps"].as_array().unwrap();
        assert_eq!(steps[0]["parameterSpace"]["taskParameterDefinitions"][0]["range"], "0-3,7");
        assert_eq!(steps[1]["dependencies"][0]["dependsOn"], steps[0]["name"]);
        assert_eq!(template["parameterDefinitions"][0]["default"], "out.mkv.vramp");
    }

    #[test]
    fn without_missing_parts_there_is_only_the_join() {
        let template = template(&MissingParts { missing: Ranges::default(), film: "x".repeat(300), ..work("0", 1) });
        let steps = template["steps"].as_array().unwrap();
        assert_eq!((steps.len(), &steps[0]["name"], steps[0].get("dependencies")), (1, &json!("Join"), None));
        assert_eq!(template["name"].as_str().unwrap().len(), LONGEST_NAME);
    }
}
