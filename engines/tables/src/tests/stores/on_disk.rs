//! The tests of an engine whose ordered store keeps files.

/// Tests that SQL tables on a store do what they do in SQLite. `quick` is the option with which its commits wait for no disk.
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
