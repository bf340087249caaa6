//! Pickles, harmless and with calls of the system, to findings.

use super::called;

#[test]
fn calls_of_every_form_are_found() {
    let forms: [&[u8]; 5] = [
        b"cposix\nsystem\n(S'echo x'\ntR.",
        b"(S'echo x'\nios\nsystem\n.",
        b"\x80\x02cbuiltins\nexec\nq\x00X\x05\x00\x00\x00x = 1q\x01\x85q\x02Rq\x03.",
        b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02ls\x94\x85\x94R\x94.",
        b"\x80\x04\x8c\x0asubprocess\x94\x8c\x05Popen\x94\x93\x94\x8c\x02ls\x85R.",
    ];
    let names = ["posix.system", "os.system", "builtins.exec", "posix.system", "subprocess.Popen"];
    for (form, name) in forms.into_iter().zip(names) {
        assert_eq!(called(form).as_deref(), Some(name));
    }
}

#[test]
fn data_and_texts_are_no_calls() {
    let others: [&[u8]; 7] = [
        // A dictionary of numbers, and an instance of a class of a library.
        b"(dS'good'\nF0.8\ns.",
        b"\x80\x02ccopy_reg\n_reconstructor\nq\x00(cnumpy\nndarray\nq\x01c__builtin__\nobject\nq\x02NtRq\x03.",
        // A name that is not called.
        b"\x80\x02cos\nsystem\nq\x00.",
        // Names of functions as texts.
        b"(lS'os'\naS'system'\na.",
        b"import os\nos.system('ls')\n",
        b"c",
        b"",
    ];
    for other in others {
        assert_eq!(called(other), None, "{other:?}");
    }
}
