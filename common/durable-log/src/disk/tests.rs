//! Guarantees of the simulated disk, and that it breaks them only where it may.

use std::io::ErrorKind;

use super::Disk;
use super::simulated::SimulatedDisk;

fn content(disk: &SimulatedDisk, name: &str) -> Vec<u8> {
    let mut bytes = vec![0; 100];
    let found = disk.open(name).unwrap().read_at(&mut bytes, 0).unwrap();
    bytes.truncate(found);
    bytes
}

#[test]
fn what_was_synced_survives_a_loss_of_power_and_the_rest_sometimes() {
    let mut kept = 0;
    for seed in 0..100 {
        let disk = SimulatedDisk::new(seed);
        let file = disk.create("a").unwrap();
        file.write_at(b"synced", 0).unwrap();
        file.sync_data().unwrap();
        disk.sync_directory().unwrap();
        file.write_at(b"loose", 6).unwrap();
        disk.create("b").unwrap();
        disk.lose_power();
        let found = content(&disk, "a");
        assert!(found.starts_with(b"synced"));
        kept += usize::from(found == b"syncedloose");
    }
    assert!((1..100).contains(&kept), "{kept} of 100 were kept");
}

#[test]
fn a_file_that_was_not_synced_into_its_directory_may_be_gone() {
    let gone = (0..100).filter(|seed| {
        let disk = SimulatedDisk::new(*seed);
        disk.create("a").unwrap().sync_data().unwrap();
        disk.lose_power();
        disk.list().unwrap().is_empty()
    });
    assert!((1..100).contains(&gone.count()));
}

#[test]
fn a_failed_sync_loses_what_a_later_one_does_not_bring_back() {
    let lost = (0..100).filter(|seed| {
        let disk = SimulatedDisk::new(*seed);
        let file = disk.create("a").unwrap();
        disk.sync_directory().unwrap();
        file.write_at(b"text", 0).unwrap();
        disk.fail_next_sync();
        assert!(file.sync_data().is_err());
        assert_eq!(content(&disk, "a"), b"text", "readers still see it");
        file.sync_data().unwrap();
        disk.lose_power();
        content(&disk, "a") != b"text"
    });
    assert!((1..100).contains(&lost.count()));
}

#[test]
fn a_full_disk_writes_what_fits() {
    let disk = SimulatedDisk::new(1);
    disk.set_capacity(6);
    let file = disk.create("a").unwrap();
    file.write_at(b"1234", 0).unwrap();
    assert_eq!(disk.available_bytes().unwrap(), 2);
    assert_eq!(file.write_at(b"5678", 4).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(content(&disk, "a"), b"123456");
    file.write_at(b"ABCD", 0).unwrap();
}

#[test]
fn a_stopped_machine_does_nothing_until_it_goes_on() {
    let disk = SimulatedDisk::new(1);
    let file = disk.create("a").unwrap();
    disk.stop_after(1);
    file.write_at(b"1", 0).unwrap();
    assert!(file.write_at(b"2", 1).is_err());
    assert!(disk.list().is_err());
    disk.resume();
    assert!(file.length().is_err(), "the handle is of an earlier life");
    assert!(content(&disk, "a").starts_with(b"1"));
}
