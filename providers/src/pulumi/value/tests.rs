use super::*;

const ALL: Accepts = Accepts { secrets: true, resources: true, bytes: true };

fn encoder(accepts: Accepts) -> Encoder {
    Encoder { accepts, contents: Contents::Sent, unknowns: Unknowns::Allowed }
}

fn value(text: &str) -> Value {
    parse(text).expect("it is JSON")
}

fn properties(text: &str) -> Properties {
    value(text).as_object().expect("an object").to_vec()
}

/// Sends the properties, and returns them as a provider that answers with them.
fn sent(accepts: Accepts, text: &str) -> Result<String, ValueError> {
    let message = encoder(accepts).properties(&properties(text))?;
    Decoder::new(Unknowns::Allowed, &[]).properties(Some(message)).map(|all| Value::Object(all).to_string())
}

#[test]
fn plain_values_come_back_as_they_were() {
    let text = r#"{"a":null,"b":true,"c":-7,"d":0.5,"e":"x","f":[1,{"g":[]}],"h":{}}"#;
    assert_eq!(sent(ALL, text).as_deref(), Ok(text));
    assert_eq!(sent(ALL, r#"{"a":9007199254740992}"#).as_deref(), Ok(r#"{"a":9007199254740992}"#));
}

#[test]
fn what_a_double_cannot_hold_is_refused_with_its_path() {
    let error = sent(ALL, r#"{"a":{"b":[0,9007199254740993]}}"#).unwrap_err();
    assert_eq!(error.path, "a.b[1]");
    let error = sent(ALL, r#"{"a":-9007199254740993}"#).unwrap_err();
    assert_eq!(error.path, "a");
}

#[test]
fn a_secret_is_marked_or_bare_as_the_provider_accepts_it() {
    let secret = format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","plaintext":"{{\"b\":1}}"}}}}"#);
    assert_eq!(sent(ALL, &secret).as_deref(), Ok(&*secret));
    assert_eq!(sent(Accepts::default(), &secret).as_deref(), Ok(r#"{"a":{"b":1}}"#));
    let mut outputs = properties(r#"{"a":{"b":1},"c":2}"#);
    mark_secrets(&mut outputs, &properties(&secret));

    assert_eq!(Value::Object(outputs).get("a"), properties(&secret).first().map(|(_, value)| value));
}

#[test]
fn a_secret_in_a_list_makes_the_list_secret() {
    let inner = format!(r#"{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","plaintext":"\"x\""}}"#);
    let inputs = properties(&format!(r#"{{"list":[1,{inner}],"object":{{"a":{inner},"b":2}}}}"#));
    let mut outputs = properties(r#"{"list":[1,"x"],"object":{"a":"x","b":2}}"#);
    mark_secrets(&mut outputs, &inputs);
    let list = format!(r#"{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","plaintext":"[1,\"x\"]"}}"#);
    assert_eq!(outputs[0].1.to_string(), list);
    assert_eq!(outputs[1].1.to_string(), format!(r#"{{"a":{inner},"b":2}}"#));
}

#[test]
fn an_encrypted_secret_is_refused() {
    let text = format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","ciphertext":"v1:x"}}}}"#);
    assert_eq!(sent(ALL, &text), Err(ValueError { path: "a".to_owned(), reason: "is encrypted" }));
}

#[test]
fn a_reference_is_an_id_for_a_provider_without_references() {
    let reference = format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{RESOURCE}","id":"i-1","urn":"u"}}}}"#);
    assert_eq!(sent(ALL, &reference).as_deref(), Ok(&*reference));
    assert_eq!(sent(Accepts::default(), &reference).as_deref(), Ok(r#"{"a":"i-1"}"#));
    let component = reference.replace(r#""id":"i-1","#, "");
    assert_eq!(sent(Accepts::default(), &component).as_deref(), Ok(r#"{"a":"u"}"#));
    let unknown = reference.replace("i-1", "");
    assert_eq!(sent(Accepts::default(), &unknown).unwrap(), format!(r#"{{"a":"{UNKNOWN}"}}"#));
}

#[test]
fn a_reference_without_its_id_becomes_the_one_that_was_sent() {
    let reference = format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{RESOURCE}","id":"i-1","urn":"u"}}}}"#);
    let short = encoder(ALL).properties(&properties(&reference.replace(r#""id":"i-1","#, ""))).unwrap();
    let known = properties(&reference);
    let back = Decoder::new(Unknowns::Refused, &[&known]).properties(Some(short)).unwrap();
    assert_eq!(back, known);
}

#[test]
fn an_output_value_is_its_value() {
    let output = |rest: &str| format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{OUTPUT}"{rest}}}}}"#);
    let decode = |text: &str, unknowns| {
        let wire = |text: &str| text_value(text);
        let entries = value(text);
        let entries = entries.get("a").and_then(Value::as_object).unwrap().iter().map(|(key, value)| {
            let kind = match value {
                Value::Bool(flag) => WireValue { kind: Some(Kind::BoolValue(*flag)) },
                other => wire(other.as_str().unwrap_or_default()),
            };
            (key.clone(), kind)
        });
        let inner = WireValue { kind: Some(Kind::StructValue(Struct { fields: entries.collect() })) };
        let message = Struct { fields: [("a".to_owned(), inner)].into() };
        Decoder::new(unknowns, &[]).properties(Some(message)).map(|all| Value::Object(all).to_string())
    };
    assert_eq!(decode(&output(r#","value":"x""#), Unknowns::Refused).as_deref(), Ok(r#"{"a":"x"}"#));
    let secret = decode(&output(r#","value":"x","secret":true"#), Unknowns::Refused).unwrap();
    assert_eq!(secret, format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","plaintext":"\"x\""}}}}"#));
    assert_eq!(decode(&output(""), Unknowns::Allowed).unwrap(), format!(r#"{{"a":"{UNKNOWN}"}}"#));
    let error = decode(&output(""), Unknowns::Refused).unwrap_err();
    assert_eq!(error, ValueError { path: "a".to_owned(), reason: "is unknown in the answer" });
}

#[test]
fn the_content_of_an_asset_is_left_out_and_comes_back_by_its_hash() {
    let asset = format!(
        r#"{{"a":{{"{SIGNATURE_KEY}":"{ASSET_SIGNATURE}","hash":"{}","text":"hello"}}}}"#,
        hex(&Sha256::digest("hello"))
    );
    let known = properties(&asset);
    let omitting = Encoder { contents: Contents::Omitted, ..encoder(ALL) };
    let message = omitting.properties(&known).unwrap();
    let back = Decoder::new(Unknowns::Refused, &[]).properties(Some(message.clone())).unwrap();
    assert!(back[0].1.get("text").is_none());
    let back = Decoder::new(Unknowns::Refused, &[&known]).properties(Some(message)).unwrap();
    assert_eq!(back, known);
    let bare = properties(&format!(r#"{{"a":{{"{SIGNATURE_KEY}":"{ASSET_SIGNATURE}","text":"hello"}}}}"#));
    let message = encoder(ALL).properties(&bare).unwrap();
    let back = Decoder::new(Unknowns::Refused, &[]).properties(Some(message)).unwrap();
    assert_eq!(back[0].1.get("hash"), known[0].1.get("hash"), "the hash is added");
}
