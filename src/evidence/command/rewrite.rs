//! Programs that change files which their words name by folder or not at all: formatters and fixers, package managers
//! and generators, snapshots of tests. What only fills a folder of installed packages or of build output is no
//! change of files here.

use super::observation::Operation;
use super::operand::has;
use super::runner::{operands, subject};
use super::shell::word::{Form, Word};
use super::shell::wrapper::program_name;

/// What such a command changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rewritten<'a> {
    /// The files, if all of them are named.
    pub files: Vec<&'a Word>,
    /// Changed ones; generators add.
    pub operation: Operation,
    /// A fixer fails when something is left that it cannot fix.
    pub even_failed: bool,
}

/// What must follow the program, and which options decide.
struct Row(&'static [&'static str], &'static [&'static str], When, Kind);

enum When {
    Always,
    With(&'static [&'static str]),
    Without(&'static [&'static str]),
    /// With a further operand: what is to be installed.
    Operand,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its further operands are files or folders; it may fail and have changed some.
    Fixer,
    /// The same without operands that are files.
    Tree,
    /// Manifest, lock file and their kin.
    Manifest,
    /// New files.
    Generator,
}

use Kind::{Fixer, Generator, Manifest, Tree};
use When::{Always, Operand, With, Without};

const READS: &[&str] = &["--check", "--diff", "--version", "--help", "--dry-run", "-"];
const FIX: &[&str] = &["--fix", "--fix-only"];

const ROWS: &[Row] = &[
    // Rust.
    Row(&["cargo"], &["fmt"], Without(READS), Tree),
    Row(&["cargo"], &["fix"], Always, Tree),
    Row(&["cargo"], &["clippy"], With(&["--fix"]), Tree),
    Row(
        &["rustfmt"],
        &[],
        Without(&["--check", "--emit", "--emit=stdout", "--print-config", "--version"]),
        Fixer,
    ),
    Row(&["cargo"], &["add"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["cargo"], &["remove"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["cargo"], &["rm"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["cargo"], &["update"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["cargo"], &["upgrade"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["cargo"], &["generate-lockfile"], Always, Manifest),
    Row(&["cargo"], &["vendor"], Always, Generator),
    Row(&["cargo"], &["init"], Always, Generator),
    Row(&["cargo"], &["new"], Always, Generator),
    Row(&["cargo"], &["generate"], Always, Generator),
    Row(&["cargo"], &["insta", "accept"], Always, Tree),
    Row(&["cargo"], &["insta", "test"], With(&["--accept"]), Tree),
    Row(&["taplo"], &["fmt"], Without(READS), Fixer),
    Row(&["taplo"], &["format"], Without(READS), Fixer),
    // JavaScript.
    Row(&["prettier"], &[], With(&["--write", "-w"]), Fixer),
    Row(&["eslint", "stylelint", "oxlint", "tslint", "xo", "standard", "ts-standard"], &[], With(FIX), Fixer),
    Row(&["biome"], &[], With(&["--write", "--fix", "--apply", "--apply-unsafe"]), Fixer),
    Row(&["dprint"], &["fmt"], Always, Tree),
    Row(&["deno"], &["fmt"], Without(READS), Fixer),
    Row(&["deno"], &["lint"], With(FIX), Fixer),
    Row(&["deno"], &["add"], Always, Manifest),
    Row(&["deno"], &["remove"], Always, Manifest),
    Row(&["markdownlint", "markdownlint-cli2"], &[], With(&["--fix", "-f"]), Fixer),
    Row(&["npm", "pnpm", "bun"], &["install"], Operand, Manifest),
    Row(&["npm", "pnpm", "bun"], &["i"], Operand, Manifest),
    Row(&["npm", "pnpm", "yarn", "bun"], &["add"], Operand, Manifest),
    Row(&["npm", "pnpm", "yarn", "bun"], &["remove"], Operand, Manifest),
    Row(&["npm", "pnpm", "bun"], &["rm"], Operand, Manifest),
    Row(&["npm"], &["uninstall"], Operand, Manifest),
    Row(&["npm"], &["un"], Operand, Manifest),
    Row(&["npm", "pnpm", "bun"], &["update"], Always, Manifest),
    Row(&["npm", "pnpm", "yarn"], &["up"], Always, Manifest),
    Row(&["npm", "pnpm", "yarn"], &["upgrade"], Always, Manifest),
    Row(&["npm", "pnpm", "yarn"], &["dedupe"], Always, Manifest),
    Row(&["npm"], &["audit", "fix"], Without(&["--dry-run"]), Manifest),
    Row(&["npm"], &["pkg", "set"], Always, Manifest),
    Row(&["npm"], &["pkg", "delete"], Always, Manifest),
    Row(&["npm"], &["version"], Operand, Manifest),
    Row(&["npm", "pnpm", "yarn", "bun"], &["init"], Always, Generator),
    Row(&["npm", "pnpm", "yarn", "bun"], &["create"], Operand, Generator),
    Row(&["jest"], &[], With(&["-u", "--updateSnapshot"]), Tree),
    Row(&["vitest"], &[], With(&["-u", "--update"]), Tree),
    Row(&["playwright"], &["test"], With(&["-u", "--update-snapshots"]), Tree),
    Row(&["ng", "nest"], &["new"], Always, Generator),
    Row(&["ng", "nest"], &["generate"], Without(&["--dry-run", "-d"]), Generator),
    Row(&["ng", "nest"], &["g"], Without(&["--dry-run", "-d"]), Generator),
    Row(&["ng", "nest"], &["add"], Always, Manifest),
    Row(&["prisma"], &["generate"], Always, Generator),
    Row(&["prisma"], &["format"], Without(READS), Tree),
    Row(&["prisma"], &["migrate", "dev"], Always, Generator),
    Row(&["prisma"], &["init"], Always, Generator),
    Row(&["shadcn", "shadcn-ui"], &["add"], Always, Generator),
    Row(&["shadcn", "shadcn-ui"], &["init"], Always, Generator),
    Row(&["graphql-codegen"], &[], Without(READS), Generator),
    // Python.
    Row(
        &["black", "isort"],
        &[],
        Without(&["--check", "--check-only", "-c", "--diff", "--version", "--show-files", "-"]),
        Fixer,
    ),
    Row(&["ruff"], &["format"], Without(READS), Fixer),
    Row(&["ruff"], &["check"], With(FIX), Fixer),
    Row(&["ruff"], &[], With(FIX), Fixer),
    Row(&["autopep8", "yapf", "autoflake", "docformatter"], &[], With(&["-i", "--in-place"]), Fixer),
    Row(&["pyupgrade"], &[], Always, Fixer),
    Row(
        &["pytest", "py.test"],
        &[],
        With(&["--snapshot-update", "--inline-snapshot=fix", "--inline-snapshot=create"]),
        Tree,
    ),
    Row(&["uv"], &["add"], Always, Manifest),
    Row(&["uv"], &["remove"], Always, Manifest),
    Row(&["uv"], &["lock"], Without(&["--check", "--locked", "--dry-run"]), Manifest),
    Row(&["uv"], &["init"], Always, Generator),
    Row(&["poetry", "pdm", "rye"], &["add"], Without(&["--dry-run"]), Manifest),
    Row(&["poetry", "pdm", "rye"], &["remove"], Without(&["--dry-run"]), Manifest),
    Row(&["poetry", "pdm"], &["update"], Without(&["--dry-run"]), Manifest),
    Row(&["poetry", "pdm", "rye", "pipenv"], &["lock"], Without(&["--check"]), Manifest),
    Row(&["poetry", "pdm", "rye"], &["init"], Always, Generator),
    Row(&["poetry"], &["new"], Always, Generator),
    Row(&["pipenv"], &["install"], Operand, Manifest),
    Row(&["pipenv"], &["uninstall"], Always, Manifest),
    Row(&["pipenv"], &["update"], Always, Manifest),
    Row(&["pip-compile"], &[], Without(&["--dry-run"]), Manifest),
    Row(&["django-admin"], &["startproject"], Always, Generator),
    Row(&["django-admin"], &["startapp"], Always, Generator),
    Row(&["manage.py"], &["startapp"], Always, Generator),
    Row(&["manage.py"], &["makemigrations"], Without(&["--check", "--dry-run"]), Generator),
    Row(&["alembic"], &["revision"], Always, Generator),
    Row(&["cookiecutter"], &[], Operand, Generator),
    Row(&["copier"], &["copy"], Always, Generator),
    Row(&["copier"], &["update"], Always, Generator),
    // Go.
    Row(&["gofmt", "goimports", "gofumpt", "golines"], &[], With(&["-w"]), Fixer),
    Row(&["go"], &["fmt"], Without(&["-n"]), Tree),
    Row(&["go"], &["fix"], Without(&["-diff"]), Tree),
    Row(&["go"], &["generate"], Without(&["-n"]), Generator),
    Row(&["go"], &["get"], Always, Manifest),
    Row(&["go"], &["mod", "tidy"], Without(&["-diff"]), Manifest),
    Row(&["go"], &["mod", "init"], Always, Generator),
    Row(&["go"], &["mod", "edit"], Without(&["-json", "-print"]), Manifest),
    Row(&["go"], &["mod", "vendor"], Always, Generator),
    Row(&["go"], &["work"], Always, Manifest),
    Row(&["golangci-lint"], &["run"], With(FIX), Tree),
    Row(&["golangci-lint"], &["fmt"], Without(&["--diff", "-d"]), Fixer),
    Row(&["sqlc"], &["generate"], Always, Generator),
    Row(&["buf"], &["generate"], Always, Generator),
    Row(&["buf"], &["format"], With(&["-w", "--write"]), Tree),
    // C and its kin.
    Row(
        &["clang-format", "swift-format", "google-java-format"],
        &[],
        With(&["-i", "--in-place", "--replace", "-r"]),
        Fixer,
    ),
    Row(&["clang-tidy"], &[], With(&["--fix", "-fix", "--fix-errors", "-fix-errors"]), Tree),
    Row(&["cmake-format"], &[], With(&["-i"]), Fixer),
    // Swift, Dart, Elixir, Ruby, PHP, .NET, the JVM.
    Row(&["swiftformat"], &[], Without(&["--lint", "--dryrun", "--version"]), Fixer),
    Row(&["swiftlint"], &[], With(FIX), Tree),
    Row(&["swift"], &["format"], With(&["-i", "--in-place"]), Tree),
    Row(&["swift"], &["package", "init"], Always, Generator),
    Row(&["swift"], &["package", "update"], Always, Manifest),
    Row(&["pod"], &["update"], Always, Manifest),
    Row(
        &["dart", "flutter"],
        &["format"],
        Without(&["-o", "--output", "--output=none", "--output=show", "--output=json"]),
        Fixer,
    ),
    Row(&["dart"], &["fix"], With(&["--apply"]), Tree),
    Row(&["dart", "flutter"], &["create"], Always, Generator),
    Row(&["dart", "flutter"], &["pub", "add"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["dart", "flutter"], &["pub", "remove"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["dart", "flutter"], &["pub", "upgrade"], Without(&["--dry-run", "-n"]), Manifest),
    Row(&["mix"], &["format"], Without(&["--check-formatted", "--dry-run"]), Fixer),
    Row(&["mix"], &["deps.update"], Always, Manifest),
    Row(&["mix"], &["deps.unlock"], Without(&["--check-unused"]), Manifest),
    Row(&["mix"], &["new"], Always, Generator),
    Row(&["mix"], &["ecto.gen.migration"], Always, Generator),
    Row(
        &["rubocop", "standardrb"],
        &[],
        With(&[
            "-a",
            "-A",
            "-x",
            "--fix",
            "--fix-layout",
            "--autocorrect",
            "--autocorrect-all",
            "--auto-correct",
            "--auto-correct-all",
        ]),
        Fixer,
    ),
    Row(&["rails"], &["generate"], Without(&["--pretend", "-p"]), Generator),
    Row(&["rails"], &["g"], Without(&["--pretend", "-p"]), Generator),
    Row(&["rails"], &["destroy"], Without(&["--pretend", "-p"]), Generator),
    Row(&["rails"], &["new"], Without(&["--pretend", "-p"]), Generator),
    Row(&["bundle"], &["add"], Always, Manifest),
    Row(&["bundle"], &["remove"], Always, Manifest),
    Row(&["bundle"], &["update"], Always, Manifest),
    Row(&["bundle"], &["lock"], Without(&["--print"]), Manifest),
    Row(&["bundle"], &["init"], Always, Generator),
    Row(&["php-cs-fixer"], &["fix"], Without(READS), Fixer),
    Row(&["phpcbf"], &[], Always, Fixer),
    Row(&["pint"], &[], Without(&["--test", "--bail"]), Fixer),
    Row(&["rector"], &["process"], Without(&["--dry-run", "-n"]), Tree),
    Row(&["composer"], &["require"], Without(&["--dry-run"]), Manifest),
    Row(&["composer"], &["remove"], Without(&["--dry-run"]), Manifest),
    Row(&["composer"], &["update"], Without(&["--dry-run"]), Manifest),
    Row(&["composer"], &["init"], Always, Generator),
    Row(&["composer"], &["create-project"], Always, Generator),
    Row(&["dotnet"], &["format"], Without(&["--verify-no-changes"]), Tree),
    Row(&["dotnet"], &["new"], Without(&["--dry-run", "--list", "-l"]), Generator),
    Row(&["dotnet"], &["add"], Always, Manifest),
    Row(&["dotnet"], &["remove"], Always, Manifest),
    Row(&["ktlint"], &[], With(&["-F", "--format"]), Fixer),
    Row(&["gradle", "gradlew"], &["spotlessApply"], Always, Tree),
    Row(&["gradle", "gradlew"], &["ktlintFormat"], Always, Tree),
    Row(&["gradle", "gradlew"], &["wrapper"], Always, Generator),
    Row(&["gradle", "gradlew"], &["init"], Always, Generator),
    Row(&["mvn", "mvnw"], &["spotless:apply"], Always, Tree),
    Row(&["mvn", "mvnw"], &["fmt:format"], Always, Tree),
    Row(&["mvn", "mvnw"], &["versions:set"], Always, Manifest),
    Row(&["mvn", "mvnw"], &["archetype:generate"], Always, Generator),
    Row(&["scalafmt"], &[], Without(&["--check", "--test", "--list"]), Fixer),
    Row(&["sbt"], &["scalafmtAll"], Always, Tree),
    Row(&["sbt"], &["scalafmt"], Always, Tree),
    // The rest.
    Row(&["terraform", "tofu"], &["fmt"], Without(&["-check", "-check=true", "-write=false", "-"]), Tree),
    Row(&["shfmt"], &[], With(&["-w", "--write"]), Fixer),
    Row(&["zig"], &["fmt"], Without(READS), Fixer),
    Row(&["stylua"], &[], Without(&["--check", "-c", "-"]), Fixer),
    Row(&["nixfmt", "alejandra", "nixpkgs-fmt"], &[], Without(&["--check", "-c"]), Fixer),
    Row(&["nix"], &["flake", "update"], Always, Manifest),
    Row(&["nix"], &["flake", "lock"], Always, Manifest),
    Row(&["nix"], &["flake", "init"], Always, Generator),
    Row(&["ormolu", "fourmolu"], &[], With(&["-i", "inplace", "--mode=inplace"]), Fixer),
    Row(&["elm-format"], &[], With(&["--yes"]), Fixer),
    Row(&["sqlfluff"], &["fix"], Always, Fixer),
    Row(&["sqlfluff"], &["format"], Always, Fixer),
    Row(&["ast-grep", "sg"], &[], With(&["-U", "--update-all"]), Tree),
    Row(&["comby"], &[], With(&["-i", "-in-place"]), Tree),
    Row(&["jscodeshift"], &[], Without(&["-d", "--dry"]), Tree),
    Row(&["fastmod"], &[], Always, Tree),
    Row(&["codespell", "typos"], &[], With(&["-w", "--write-changes"]), Tree),
    Row(&["gh"], &["pr", "checkout"], Always, Tree),
    Row(&["gh"], &["release", "download"], Without(&["-O"]), Generator),
    Row(&["gh"], &["run", "download"], Always, Generator),
    Row(&["svn"], &["update"], Always, Tree),
    Row(&["svn"], &["revert"], Always, Tree),
    Row(&["svn"], &["merge"], Without(&["--dry-run"]), Tree),
    Row(&["hg"], &["update"], Always, Tree),
    Row(&["hg"], &["revert"], Without(&["--dry-run", "-n"]), Tree),
    Row(&["hg"], &["merge"], Without(&["--preview", "-P"]), Tree),
    Row(&["rename", "prename", "rename.ul"], &[], Without(&["-n", "--nono", "--no-act"]), Tree),
];

/// Everywhere: these make it answer, or change another place than this project.
const ELSEWHERE: &[&str] = &["--help", "--version", "-g", "--global", "--location=global"];

/// What a command changes, if it is in the table.
pub fn rewritten(argv: &[Word]) -> Option<Rewritten<'_>> {
    let (name, words) = subject(argv)?;
    if has(words, ELSEWHERE) {
        return None;
    }
    let texts = operands(name, words);
    let Some(Row(_, wanted, _, kind)) = ROWS.iter().find(|row| fits(row, name, words, &texts)) else {
        let made = name.starts_with("create-") && !name.contains('.');
        let kind = if made { Generator } else { script(name, &texts)? };
        return Some(Rewritten { files: Vec::new(), operation: kind.operation(), even_failed: true });
    };
    let plain = words.iter().filter(|word| !word.text.starts_with('-')).skip(wanted.len());
    let files: Vec<&Word> = if *kind == Fixer { plain.collect() } else { Vec::new() };
    // A folder, a pattern or a value of an option among them: then which files is not known.
    let files = if files.iter().all(|word| is_file(word)) { files } else { Vec::new() };
    Some(Rewritten { files, operation: kind.operation(), even_failed: matches!(kind, Fixer | Tree) })
}

impl Kind {
    const fn operation(self) -> Operation {
        match self {
            Fixer | Tree | Manifest => Operation::Update,
            Generator => Operation::Add,
        }
    }
}

fn fits(row: &Row, name: &str, words: &[Word], operands: &[&str]) -> bool {
    let Row(programs, wanted, when, _) = row;
    programs.contains(&name)
        && operands.starts_with(wanted)
        && match when {
            Always => true,
            With(options) => has(words, options) && !has(words, &["--dry-run", "--diff", "--fix-dry-run"]),
            Without(options) => !has(words, options),
            Operand => operands.len() > wanted.len(),
        }
}

/// A literal name of a file: with an ending, as folders seldom have.
fn is_file(word: &Word) -> bool {
    let name = program_name(&word.text);
    // A quoted pattern is the program's to expand.
    matches!(word.form, Form::Plain | Form::Tilde)
        && !word.text.contains(['*', '?', '[', '{'])
        && name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !ending.is_empty()
                && (!stem.is_empty() || ending.len() > 1)
                && stem.chars().any(|letter| letter != '.')
        })
}

/// A script or target of the project that is called as formatters and fixers are: `npm run format`, `make fmt`.
fn script(name: &str, operands: &[&str]) -> Option<Kind> {
    let script = match name {
        "npm" => operands.strip_prefix(&["run"]).or_else(|| operands.strip_prefix(&["run-script"]))?.first(),
        "pnpm" | "yarn" | "bun" => operands.strip_prefix(&["run"]).unwrap_or(operands).first(),
        "deno" => operands.strip_prefix(&["task"])?.first(),
        "make" | "gmake" | "just" | "task" | "go-task" => operands.iter().find(|target| rewrites(target)),
        _ => None,
    };
    script.filter(|script| rewrites(script)).map(|_| Tree)
}

/// Names that projects give to what changes their files.
fn rewrites(script: &&str) -> bool {
    const NAMES: &[&str] = &["format", "fmt", "fix", "prettier", "codegen", "generate"];
    let parts: Vec<&str> = script.split([':', '-', '_']).collect();
    let reads = parts.iter().any(|part| matches!(*part, "check" | "test" | "verify" | "diff" | "watch"));
    !reads
        && (NAMES.contains(script)
            || parts.last().is_some_and(|last| matches!(*last, "fix" | "format" | "write"))
            || parts.first().is_some_and(|first| matches!(*first, "format" | "fmt" | "codegen")))
}
