"""Tests of the choice of services, of the comparison of captures, of the outcome and of raw bytes: `python3 -m unittest runner.tests`."""

import pathlib
import socket
import struct
import subprocess
import tempfile
import types
import unittest

from . import choice, comparison, web
from .outcome import ALLOWED, Lacking, Outcome, Reason

NAMES = [f"service-{number}" for number in range(40)]


class Pick(unittest.TestCase):
    def test_three_services_by_the_hash_and_the_same_each_time(self):
        first = choice.pick("a1", NAMES, set()).services
        self.assertEqual(len(set(first)), 3)
        self.assertEqual(choice.pick("a1", list(reversed(NAMES)), set()).services, first)
        self.assertNotEqual(choice.pick("a2", NAMES, set()).services, first)

    def test_every_service_has_its_turn(self):
        chosen = {name for number in range(400) for name in choice.pick(f"commit {number}", NAMES, set()).services}
        self.assertEqual(chosen, set(NAMES))

    def test_a_changed_service_is_run_beside_those_of_the_hash(self):
        by_hash = choice.pick("a1", NAMES, set()).services
        changed = next(name for name in NAMES if name not in by_hash)
        self.assertEqual(choice.pick("a1", NAMES, {changed}).services, [changed, *by_hash])

    def test_at_most_five_and_the_others_are_named(self):
        changed = set(NAMES[:7])
        picked = choice.pick("a1", NAMES, changed)
        self.assertEqual(len(picked.services), 5)
        self.assertLess(set(picked.services), changed)
        left = changed - set(picked.services)
        self.assertTrue(any("NOT RUN" in remark and all(name in remark for name in left) for remark in picked.remarks))

    def test_a_large_service_is_run_only_where_it_changed(self):
        large = choice.LARGE[0]
        names = [large, *NAMES[:2]]
        self.assertNotIn(large, choice.pick("a1", names, set()).services)
        self.assertIn(large, choice.pick("a1", names, {large}).services)


class Choose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "lab"
        for name in NAMES:
            self.write(f"{name}/service.py", "one")

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=lab", "-c", "user.email=lab@example.org", "-C", str(self.folder.parent), *arguments],
                       check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def changed(self):
        return {name for name in choice.choose(self.folder, NAMES).services if name in self.expected}

    def test_what_changed_on_a_branch_and_in_the_working_tree(self):
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.git("checkout", "-q", "-b", "branch")
        self.write("service-7/captured/benign.log", "line")
        self.commit()
        self.write("README.md", "text")
        self.commit()
        self.write("service-9/fetch", "two")
        self.expected = {"service-7", "service-9"}
        self.assertEqual(self.changed(), self.expected)

    def test_what_changed_in_the_last_commits_of_main(self):
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.write("service-3/service.py", "two")
        self.commit()
        self.write("other", "text")
        self.commit()
        self.expected = {"service-3"}
        self.assertEqual(self.changed(), self.expected)

    def test_without_a_history_the_hash_chooses_and_that_is_said(self):
        alone = choice.choose(self.folder, NAMES)
        self.assertEqual(len(alone.services), 3)
        self.assertIn("no commit is known", alone.remarks[0])
        self.git("init", "-q", "-b", "main")
        self.commit()
        first = choice.choose(self.folder, NAMES)
        self.assertEqual(len(first.services), 3)
        self.assertIn("no earlier commit is known", first.remarks[0])


class Complaints(unittest.TestCase):
    def session(self, name="attack-spray", kind="attack", entity="203.0.113.10", files=("log",)):
        return {"name": name, "kind": kind, "entities": [{"kind": "address", "value": entity}], "files": list(files)}

    def complaints(self, committed, fresh):
        return comparison.complaints({"sessions": committed}, {"sessions": fresh})

    def test_other_lines_are_no_difference(self):
        self.assertEqual(self.complaints([self.session()], [self.session(files=("log", "log2"))]), [])
        self.assertEqual(self.complaints([self.session(files=())], [self.session(files=())]), [])

    def test_each_difference_is_named(self):
        for fresh in ([], [self.session(), self.session("benign")], [self.session(entity="203.0.113.11")],
                      [self.session(kind="benign")], [self.session(files=())]):
            self.assertEqual(len(self.complaints([self.session()], fresh)), 1, fresh)


class ResetAfterSending(socket.socket):
    """A connection that its peer resets as soon as the bytes are sent, before anything else is done with it."""

    def sendall(self, data):
        super().sendall(data)
        # Time zero to linger: close() sends a reset.
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.peer.close()


class RawBytes(unittest.TestCase):
    def test_a_reset_between_sending_and_shutdown_is_an_empty_answer(self):
        def connect(address, port):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                connection = ResetAfterSending()
                connection.connect(listener.getsockname())
                connection.peer, _ = listener.accept()
            return connection

        self.assertEqual(web.raw(types.SimpleNamespace(connect=connect), "203.0.113.10", 80, b"x"), b"")


class Outcomes(unittest.TestCase):
    def outcome(self, reason, captured=()):
        outcome = Outcome(captured=list(captured))
        outcome.lack(["vsftpd"], Lacking(reason, "said why"))
        return outcome

    def test_where_it_is_required_only_properties_of_the_machine_are_allowed(self):
        for reason in Reason:
            self.assertEqual(self.outcome(reason).is_failure(True), reason not in ALLOWED, reason)
            self.assertFalse(self.outcome(reason).is_failure(False), reason)
        self.assertNotIn(Reason.NO_PACKAGE, ALLOWED)

    def test_a_slow_machine_must_have_run_one_service(self):
        self.assertTrue(self.outcome(Reason.NO_TIME).is_failure(True))
        self.assertFalse(self.outcome(Reason.NO_TIME, ["nginx"]).is_failure(True))
        self.assertTrue(self.outcome(Reason.NO_PACKAGE, ["nginx"]).is_failure(True))

    def test_a_failed_service_is_always_a_failure(self):
        self.assertTrue(Outcome(captured=["nginx"], failures=["vsftpd: other lines"]).is_failure(False))

    def test_a_laboratory_that_ran_nothing_says_so_last(self):
        report = self.outcome(Reason.NO_NAMESPACES).report()
        self.assertIn("NOT RUN (no namespaces): vsftpd: said why", report)
        self.assertIn("DID NOT RUN", report[-2])
        self.assertFalse(any("DID NOT RUN" in line for line in self.outcome(Reason.NO_TIME, ["nginx"]).report()))


if __name__ == "__main__":
    unittest.main()
