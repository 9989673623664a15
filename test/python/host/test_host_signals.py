"""A native host that loads passes in Python: its signal handlers and its environment stay its own.

The host is a program in C that is compiled here.
"""

import signal
import subprocess
from pathlib import Path

import pytest
from native_hosts import MARKS, NATIVE, ROOT, environment

pytestmark = [*MARKS, pytest.mark.nosan]

SOURCE = r"""
#include <ge-c/Host.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile sig_atomic_t caught;
static void own(int number) { caught = number; }
static GeStringRef str(const char *t) { GeStringRef s = {t, strlen(t)}; return s; }
static const char *of(int number) {
  struct sigaction a;
  sigaction(number, NULL, &a);
  return a.sa_handler == SIG_DFL ? "default" : a.sa_handler == SIG_IGN ? "ignored" : a.sa_handler == own ? "own" : "other";
}
static GeHost *host;
static void run(void) {
  GeContext *c; GeModule *m; GeGraphRef *g;
  geContextCreate(&c); geModuleCreate(c, str("m"), &m); geModuleAddGraph(m, str("main"), &g);
  printf("run: %d\n", (int)geHostRunStage(host, m, str("AfterInferShape"), NULL, 0, NULL));
  geGraphRelease(g); geModuleRelease(m); geContextRelease(c);
}
/* Steps: a letter each. */
int main(int count, char **words) {
  setvbuf(stdout, NULL, _IONBF, 0);
  for (const char *step = words[1]; *step; ++step)
    switch (*step) {
    case 'o': signal(SIGINT, own); break;
    case 'i': signal(SIGINT, SIG_IGN); break;
    case 'l': geHostOpen(NULL, &host); geHostLoadPlugins(host); break;
    case 'u': geHostUnload(host); geHostRelease(host); break;
    case 's': geHostShutdown(host); geHostRelease(host); break;
    case 'r': run(); break;
    case 'p': printf("%s %s %s\n", of(SIGINT), of(SIGPIPE), of(SIGTERM)); break;
    case 'k': raise(SIGINT); printf("caught %d\n", (int)caught); break;
    case 'x': setenv("GE_TEST_X", "new", 1); setenv("GE_TEST_Y", "", 1); unsetenv("GE_TEST_Z"); break;
    }
  return 0;
}
"""
PASS = """
import os, signal, subprocess
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="A", stage=PassStage.AFTER_INFER_SHAPE)
class A(FusionBasePass):
    def run(self, graph, context):
        {body}
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("signals")
    (directory / "host.c").write_text(SOURCE)
    library = next(NATIVE.glob("libGE-*.so"))
    program = directory / "host"
    command = ["cc", "-w", f"-I{ROOT / 'include'}", directory / "host.c", "-o", program, library]
    subprocess.run([*map(str, command), f"-Wl,-rpath,{NATIVE}"], check=True)
    return program


def run(
    host: Path, directory: Path, steps: str, body: str = "pass", **variables: str
) -> tuple[list[str], int]:
    """Run steps of the host with a pass; return what was printed, and how the host ended."""
    file = directory / "a.py"
    file.write_text(PASS.format(body=body))
    done = subprocess.run(
        [host, steps],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment(ASCEND_GE_PY_PASS_PATH=str(file), **variables),
    )
    assert "Traceback" not in done.stderr and "Fatal" not in done.stderr, done.stderr
    return done.stdout.splitlines(), done.returncode


DEFAULT = "default default default"


def test_loading_and_running_change_no_handler(host: Path, tmp_path: Path) -> None:
    printed = [DEFAULT, DEFAULT, "run: 0", DEFAULT] * 2
    assert run(host, tmp_path, "plprpuplprps") == (printed, 0)


def test_ctrl_c_in_the_host_ends_it(host: Path, tmp_path: Path) -> None:
    for steps in ("lk", "lrk", "lrulrk", "lrsk"):
        assert run(host, tmp_path, steps)[1] == -signal.SIGINT


@pytest.mark.parametrize(("first", "name"), [("o", "own"), ("i", "ignored")])
def test_a_handler_of_the_host_stays(host: Path, tmp_path: Path, first: str, name: str) -> None:
    """Set before and after Python was loaded, and over its end."""
    shown = f"{name} default default"
    caught = "caught 2" if name == "own" else "caught 0"
    assert run(host, tmp_path, f"{first}lprpspk") == ([shown, "run: 0", shown, shown, caught], 0)
    assert run(host, tmp_path, f"l{first}prpspk") == ([shown, "run: 0", shown, shown, caught], 0)


def test_ctrl_c_in_a_hook_interrupts_that_run_only(host: Path, tmp_path: Path) -> None:
    body = "os.environ.get('GE_TEST_X') == 'new' or signal.raise_signal(signal.SIGINT)"
    printed, ended = run(host, tmp_path, "lrpxulrps", body)
    assert printed == ["run: 18", DEFAULT, "run: 0", DEFAULT] and ended == 0


def test_a_hook_may_catch_ctrl_c(host: Path, tmp_path: Path) -> None:
    body = (
        "try: signal.raise_signal(signal.SIGINT)\n"
        "        except KeyboardInterrupt: print('caught', flush=True)"
    )
    printed, ended = run(host, tmp_path, "lrprk", body)
    assert printed == ["caught", "run: 0", DEFAULT, "caught", "run: 0"]
    assert ended == -signal.SIGINT


def test_each_round_has_the_environment_of_the_host(host: Path, tmp_path: Path) -> None:
    body = "print([os.environ.get(f'GE_TEST_{n}') for n in 'XYZ'], os.getenv('HOME') is not None, flush=True)"
    printed, ended = run(host, tmp_path, "lrxulrs", body, GE_TEST_X="old", GE_TEST_Z="z")
    assert printed == ["['old', None, 'z'] True", "run: 0", "['new', '', None] True", "run: 0"]
    assert ended == 0
