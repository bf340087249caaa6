//! The file format: models survive writing and reading, damage is found, hostile files are refused.

use linear_model::{Feature, Manifest, Model, ModelError, TableShape, Trained, WriteError, slot, write};
use proptest::prelude::*;

fn table(name: &str, slots: usize, labels: &[&str], weights: Vec<f32>) -> Trained {
    let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    let biases = (0..labels.len()).map(|label| label as f32 + 0.5).collect();
    Trained { shape: TableShape { name: name.to_owned(), slots, labels, biases }, weights }
}

fn manifest() -> Manifest {
    Manifest {
        name: "palisade-test-1".to_owned(),
        features: "words-1".to_owned(),
        numbers: [("threshold".to_owned(), 1.25)].into(),
        ..Manifest::default()
    }
}

fn two_tables() -> Vec<u8> {
    let mut attack = vec![0.0; 1024];
    attack[slot(Feature::of("ignore"), 1024)] = 2.0;
    let mut tags = vec![0.0; 512 * 3];
    tags[slot(Feature::of("Anna"), 512) * 3 + 1] = -4.0;
    let tables =
        [table("attack", 1024, &["attack"], attack), table("tags", 512, &["O", "NAME", "PLACE"], tags)];
    write(&manifest(), &tables).expect("the tables are a model")
}

#[test]
fn a_feature_finds_its_weight() {
    let bytes = two_tables();
    let model = Model::read(&bytes).unwrap();
    assert_eq!(model.manifest().name, "palisade-test-1");
    assert_eq!(model.number("threshold"), Some(1.25));
    assert_eq!(model.labels("tags"), ["O", "NAME", "PLACE"]);

    let attack = model.table("attack", 1).unwrap();
    assert_eq!(attack.biases(), [0.5]);
    assert_eq!(attack.weight(Feature::of("ignore")), 2.0);
    assert_eq!(attack.weight(Feature::of("other")), 0.0);

    let tags = model.table("tags", 3).unwrap();
    let mut scores = tags.biases().to_vec();
    tags.add(Feature::of("Anna"), 0.5, &mut scores);
    assert_eq!(scores, [0.5, -0.5, 2.5]);
}

#[test]
fn a_classifier_gets_no_unsuitable_table() {
    let bytes = two_tables();
    let model = Model::read(&bytes).unwrap();
    assert!(matches!(model.table("attack", 3), Err(ModelError::NoTable(name)) if name == "attack"));
    assert!(matches!(model.table("other", 1), Err(ModelError::NoTable(_))));
    assert!(model.expect_features("words-1").is_ok());
    assert!(matches!(model.expect_features("words-2"), Err(ModelError::Features { .. })));
}

#[test]
fn every_damaged_byte_is_found() {
    let bytes = two_tables();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        assert!(Model::read(&damaged).is_err(), "byte {place} was changed unnoticed");
    }
    for length in 0..bytes.len() {
        assert!(Model::read(&bytes[..length]).is_err(), "{length} bytes were read as a model");
    }
}

/// A file with a correct checksum whose manifest is chosen freely.
fn sealed(manifest: &str, weights: &[u8]) -> Vec<u8> {
    let mut bytes = b"PLM1".to_vec();
    bytes.extend((manifest.len() as u32).to_le_bytes());
    bytes.extend(manifest.as_bytes());
    bytes.extend(weights);
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

#[test]
fn sizes_of_a_hostile_manifest_are_refused() {
    let with = |slots: &str, labels: &str, biases: &str| {
        format!(
            r#"{{"name":"","features":"","seed":0,"data":{{}},"numbers":{{}},"validation":{{}},"notice":[],
            "tables":[{{"name":"t","slots":{slots},"labels":{labels},"biases":{biases}}}]}}"#
        )
    };
    for (slots, labels, biases) in [
        ("0", r#"["a"]"#, "[0]"),
        ("3", r#"["a"]"#, "[0]"),
        ("4611686018427387904", r#"["a"]"#, "[0]"),
        ("8", "[]", "[]"),
        ("8", r#"["a"]"#, "[0,0]"),
    ] {
        let bytes = sealed(&with(slots, labels, biases), &[0; 64]);
        assert!(matches!(Model::read(&bytes), Err(ModelError::Shape(_))), "{slots} {labels} {biases}");
    }
    let long = sealed(&with("8", r#"["a"]"#, "[0]"), &[0; 64]);
    assert!(matches!(Model::read(&long), Err(ModelError::Length { .. })));
    let exact = sealed(&with("8", r#"["a"]"#, "[0]"), &[0; 12]);
    assert!(Model::read(&exact).is_ok());
    assert!(matches!(Model::read(&sealed("{}", &[])), Err(ModelError::Manifest(_))));
    assert!(matches!(Model::read(b"PLM2"), Err(ModelError::Magic)));
}

#[test]
fn weights_that_are_no_numbers_are_not_written() {
    let weights = vec![f32::NAN; 4];
    assert!(matches!(write(&manifest(), &[table("t", 4, &["a"], weights)]), Err(WriteError::Weight(_))));
    assert!(matches!(write(&manifest(), &[table("t", 4, &["a"], vec![0.0; 5])]), Err(WriteError::Shape(_))));
}

proptest! {
    #[test]
    fn weights_are_kept_to_one_part_in_254_of_the_largest(weights in prop::collection::vec(-8.0_f32..8.0, 1024)) {
        let bytes = write(&manifest(), &[table("t", 1024, &["a"], weights.clone())]).unwrap();
        prop_assert_eq!(&bytes, &write(&manifest(), &[table("t", 1024, &["a"], weights.clone())]).unwrap());
        let model = Model::read(&bytes).unwrap();
        let table = model.table("t", 1).unwrap();
        for (slot, weight) in weights.iter().enumerate() {
            // A feature whose lowest bits are the slot.
            let read = table.weight(Feature(slot as u64));
            prop_assert!((read - weight).abs() <= 8.0 / 254.0 + 1e-4, "{} became {}", weight, read);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(manifest in ".{0,80}", weights in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = Model::read(&weights);
        let _ = Model::read(&sealed(&manifest, &weights));
    }
}
