use super::*;

#[test]
fn two_options_of_one_name_are_refused() {
    let described = |options| Description { options, ..Description::new("x", "", "", &[]) }.check_options();
    assert_eq!(described(vec![OptionSpec::bool("a", "off", ""), OptionSpec::bool("b", "off", "")]), Ok(()));
    let twice = described(vec![OptionSpec::bool("a", "off", ""), OptionSpec::bool("a", "on", "")]).unwrap_err();
    assert!(twice.contains("option `a` is described twice"), "{twice}");
    assert!(described(vec![OptionSpec::bool("a", "perhaps", "")]).is_err());
}

#[test]
fn options_that_cannot_go_together_are_told_with_their_values() {
    let description = Description {
        options: vec![OptionSpec::bool("a", "off", ""), OptionSpec::bool("b", "off", "")],
        conflicts: vec![Conflict::new(&[("a", &["on"]), ("b", &["on"])], "set one of them")],
        ..Description::new("x", "", "", &[])
    };
    let conflict = |asked: &[&str]| {
        let asked = asked.iter().map(|name| ((*name).to_owned(), "on".to_owned())).collect();
        description.conflict(&Settings::resolve(&description, &asked).unwrap())
    };
    assert_eq!(conflict(&["a"]), None);
    assert_eq!(conflict(&["a", "b"]).unwrap(), "a=on with b=on of engine `x`: set one of them");
}

#[test]
fn a_description_without_licence_and_languages_is_read() {
    let older = r#"{"protocol": 1, "name": "x", "about": "an engine", "version": "1", "suites": ["kv"]}"#;
    let description: Description = serde_json::from_str(older).unwrap();
    assert_eq!((&description.licence, &description.languages), (&None, &Vec::new()));
    let written = serde_json::to_string(&description).unwrap();
    assert!(!written.contains("licence") && !written.contains("languages"), "{written}");
}

#[test]
fn licence_and_languages_are_written_and_kept_when_files_are_examined() {
    let description = Description::new("x", "", "any", &[]).licensed("MIT OR Apache-2.0", &["c", "rust"]);
    let written = serde_json::to_string(&description).unwrap();
    assert!(written.contains(r#""licence":"MIT OR Apache-2.0","languages":["c","rust"]"#), "{written}");
    assert_eq!(serde_json::from_str::<Description>(&written).unwrap(), description);

    let library = Library { version: "2".to_owned(), build: Vec::new(), source: None };
    let probed = description.with(Probed::new(library));
    assert_eq!((probed.licence, probed.languages), (description.licence.clone(), description.languages.clone()));
}

#[test]
fn a_program_that_does_nothing_has_no_licence_of_a_library() {
    let own_loop = Description::new("x", "", "1", &[]).licensed("MIT", &["go"]);
    assert_eq!(own_loop.null(), None, "dbdyno's own null engine measures its loop");
    let null = Description { harness: Some("go-null".to_owned()), ..own_loop }.null().unwrap();
    assert_eq!((null.licence, null.languages), (None, vec!["go".to_owned()]));
}
