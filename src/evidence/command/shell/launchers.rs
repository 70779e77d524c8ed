//! The programs that run another program, as one table: which words they take before it, and what their own status
//! can be.

/// One kind of wrapper.
pub struct Wrapper {
    /// Program and the words that must follow it, options between them allowed.
    pub words: &'static [&'static str],
    /// Options that take the next word.
    pub valued: &'static [&'static str],
    /// Plain words before the command (a duration, a container).
    pub operands: usize,
    /// What it does to its command's status.
    pub kind: Kind,
}

/// What a wrapper does to the command that it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ends as its command does, and changes nothing that matters for comparing runs.
    Thin,
    /// Ends as its command does; runs it in a prepared environment, and what it prepares belongs to the run.
    Launcher,
    /// Another machine, user or environment, with failures of its own.
    Border,
}

const fn thin(words: &'static [&'static str], valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { words, valued, operands, kind: Kind::Thin }
}

const fn launcher(words: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued, operands: 0, kind: Kind::Launcher }
}

const fn border(words: &'static [&'static str], valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { words, valued, operands, kind: Kind::Border }
}

const UV: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--only-group",
    "--project",
    "--directory",
    "--env-file",
    "--package",
    "--index",
    "--with-editable",
    "--with-requirements",
    "--index-url",
    "--cache-dir",
    "--config-file",
];
const DOCKER: &[&str] =
    &["-u", "--user", "-w", "--workdir", "-e", "--env", "--env-file", "--index", "-f", "--file", "-p"];

const CONDA: &[&str] = &["-n", "--name", "-p", "--prefix", "--cwd"];
/// The options of `docker run` that take the next word.
const DOCKER_RUN: &[&str] = &[
    "-a",
    "-c",
    "-e",
    "-h",
    "-l",
    "-m",
    "-p",
    "-u",
    "-v",
    "-w",
    "-f",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--cidfile",
    "--cpus",
    "--cpuset-cpus",
    "--device",
    "--dns",
    "--entrypoint",
    "--env",
    "--env-file",
    "--expose",
    "--file",
    "--gpus",
    "--group-add",
    "--hostname",
    "--ipc",
    "--label",
    "--link",
    "--log-driver",
    "--log-opt",
    "--mac-address",
    "--memory",
    "--mount",
    "--name",
    "--net",
    "--network",
    "--pid",
    "--platform",
    "--publish",
    "--pull",
    "--restart",
    "--security-opt",
    "--shm-size",
    "--stop-signal",
    "--tmpfs",
    "--ulimit",
    "--user",
    "--userns",
    "--volume",
    "--volumes-from",
    "--workdir",
];

/// All of them; the first whose words fit.
pub const WRAPPERS: &[Wrapper] = &[
    thin(&["env"], &["-u", "--unset", "-C", "--chdir"], 0),
    thin(&["cross-env"], &[], 0),
    thin(&["setsid"], &[], 0),
    thin(&["caffeinate"], &["-t", "-w"], 0),
    thin(&["unbuffer"], &[], 0),
    thin(&["timeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    thin(&["gtimeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    thin(&["time"], &["-f", "--format", "-o", "--output"], 0),
    thin(&["nice"], &["-n", "--adjustment"], 0),
    thin(&["ionice"], &["-c", "-n"], 0),
    thin(&["nohup"], &[], 0),
    thin(&["stdbuf"], &["-i", "-o", "-e"], 0),
    thin(&["command"], &[], 0),
    thin(&["builtin"], &[], 0),
    thin(&["exec"], &["-a"], 0),
    launcher(&["uv", "run"], UV),
    launcher(&["uvx"], UV),
    launcher(&["poetry", "run"], &[]),
    launcher(&["pipenv", "run"], &[]),
    launcher(&["pdm", "run"], &["-p", "--project"]),
    launcher(&["rye", "run"], &[]),
    launcher(&["pipx", "run"], &["--spec", "--python"]),
    launcher(&["npx"], &["-p", "--package"]),
    launcher(&["bunx"], &["-p", "--package"]),
    launcher(&["npm", "exec"], &["-p", "--package", "-w", "--workspace", "--prefix"]),
    launcher(&["pnpm", "exec"], &["-C", "--dir", "--filter", "-F"]),
    launcher(&["pnpm", "dlx"], &["--package"]),
    launcher(&["yarn", "exec"], &["--cwd"]),
    launcher(&["yarn", "dlx"], &["-p", "--package"]),
    launcher(&["bundle", "exec"], &["--gemfile"]),
    launcher(&["mise", "exec"], &["-C", "--cd"]),
    launcher(&["mise", "x"], &["-C", "--cd"]),
    launcher(&["dotenv"], &["-e", "-c", "-v", "-p", "-f"]),
    border(&["xvfb-run"], &["-s", "--server-args", "-n", "--server-num", "-e", "--error-file", "-f"], 0),
    border(&["sudo"], &["-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D"], 0),
    border(&["doas"], &["-u", "-C"], 0),
    border(&["docker", "compose", "exec"], DOCKER, 1),
    border(&["docker-compose", "exec"], DOCKER, 1),
    border(&["docker", "container", "exec"], DOCKER, 1),
    border(&["docker", "exec"], DOCKER, 1),
    border(&["podman", "exec"], DOCKER, 1),
    border(&["docker", "compose", "run"], DOCKER_RUN, 1),
    border(&["docker-compose", "run"], DOCKER_RUN, 1),
    border(&["docker", "container", "run"], DOCKER_RUN, 1),
    border(&["docker", "run"], DOCKER_RUN, 1),
    border(&["podman", "run"], DOCKER_RUN, 1),
    border(&["direnv", "exec"], &[], 1),
    border(&["conda", "run"], CONDA, 0),
    border(&["mamba", "run"], CONDA, 0),
    border(&["micromamba", "run"], CONDA, 0),
    border(&["flock"], &["-w", "--timeout", "-E", "--conflict-exit-code"], 1),
];

/// Options of launchers that move them to another project.
pub const MOVING: &[&str] = &[
    "-C",
    "--dir",
    "--cwd",
    "--prefix",
    "--project",
    "--directory",
    "-w",
    "--workdir",
    "--workspace",
    "-D",
    "--chdir",
    "--cd",
];
