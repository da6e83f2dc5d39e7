//! Tests of engines whose ordered store keeps files.

/// Tests that SQL tables on a store behave as in SQLite. `quick` is the option with which commits do not wait for the disk.
macro_rules! tables_on_disk {
    ($store:ty, $describe:path, quick = $quick:expr) => {
        fn store(rowsum: &str) -> crate::stores::TestStore {
            crate::stores::TestStore::new(&$describe(), &[$quick, ("rowsum", rowsum)])
        }

        #[test]
        fn random_scripts_give_the_answers_of_plain_sqlite() {
            crate::stores::scripts::agree::<$store>(100, store);
        }

        #[test]
        fn logic_tests_give_the_answers_of_plain_sqlite() {
            crate::stores::logic::agree::<$store>(|| store("off"));
        }
    };
}
