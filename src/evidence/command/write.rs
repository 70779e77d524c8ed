//! Files that a shell command writes: by its redirections, and by the programs whose words name the files. A row without
//! a path: the words do not name the file. Folders alone and modes are no files; what a program of the project writes is
//! not in its words and not guessed.

use super::found::{Found, Write};
use super::observation::Operation;
use super::operand::{behind, has, is_cluster, operands, perl_files, sed_files, values};
use super::rewrite::{Rewritten, rewritten};
use super::shell::member::{Host, Member};
use super::shell::walk::of_script;
use super::shell::word::{Form, Word};
use super::shell::wrapper::{is_shell, program_name};
use super::target::{Variables, stands_in_scratch};
use super::vcs::{Git, git};

/// The files that a command writes.
pub fn writes(member: &Member, git: Option<&Git>, variables: &Variables) -> Vec<Write> {
    let mut found = Found { all: Vec::new(), member, variables };
    // What its shell opens is not of this machine.
    if member.host != Host::Here {
        return found.all;
    }
    for written in &member.redirections.written {
        found.push(&written.target, written.operation, true);
    }
    // In a container or another project the operands are not of this folder.
    if !member.elsewhere {
        match git {
            Some(git) => found.git(git),
            None => found.program(&member.argv, 0),
        }
    }
    found.all
}

/// Programs whose operands are files, all of them: options that take the next word, what happens to the files.
const OPERANDS: &[(&str, &[&str], Operation)] = &[
    ("rm", &[], Operation::Delete),
    ("unlink", &[], Operation::Delete),
    ("touch", &["-d", "-t", "-r", "--date", "--reference"], Operation::Add),
    ("truncate", &["-s", "--size", "-r", "--reference"], Operation::Update),
    ("sponge", &[], Operation::Add),
    ("ed", &["-p"], Operation::Update),
    ("ex", &["-c", "--cmd"], Operation::Update),
    ("dos2unix", &[], Operation::Update),
    ("unix2dos", &[], Operation::Update),
];

/// Programs that write what an option names.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("sort", &["-o", "--output"]),
    ("iconv", &["-o", "--output"]),
    ("openssl", &["-out", "-keyout"]),
    ("pandoc", &["-o", "--output"]),
    ("dot", &["-o"]),
    ("xmllint", &["-o", "--output"]),
    ("pg_dump", &["-f", "--file"]),
    ("ssh-keygen", &["-f"]),
    ("pip-compile", &["-o", "--output-file"]),
];

/// How deep commands of `xargs` and `find -exec` are followed.
const DEPTH: usize = 3;

impl Found<'_> {
    fn git(&mut self, git: &Git) {
        // With `-C` the words are seen from another folder; the command has its row.
        if !git.mutating || !git.folders.is_empty() {
            return;
        }
        match git.verb.as_str() {
            "mv" => self.moved(&operands(&git.argv, &[])),
            "rm" if !has(&git.argv, &["--cached"]) => {
                self.each(&operands(&git.argv, &[]), Operation::Delete);
            }
            _ => {}
        }
    }

    fn program(&mut self, argv: &[Word], depth: usize) {
        let Some((program, words)) = argv.split_first() else { return };
        let Some(name) = program.plain().map(program_name) else { return };
        if depth > 0
            && let Some(git) = git(argv)
        {
            if git.changes_files {
                self.unnamed(Operation::Update, false, false);
            }
            return;
        }
        if let Some((_, valued, operation)) = OPERANDS.iter().find(|(own, ..)| *own == name) {
            // `touch -c` makes nothing.
            if name != "touch" || !has(words, &["-c", "--no-create"]) {
                self.each(&operands(words, valued), *operation);
            }
            return;
        }
        if let Some((_, options)) = OUTPUTS.iter().find(|(own, _)| *own == name) {
            if let Some(target) = values(words, options).last() {
                self.push(target, Operation::Add, false);
            }
            return;
        }
        if !self.copied(name, words) && !self.in_place(name, words) && !self.unpacked(name, words) {
            match name {
                "find" | "fd" | "fdfind" if depth < DEPTH => self.find(words, depth),
                "xargs" | "parallel" if depth < DEPTH => self.xargs(words, depth),
                _ if is_shell(name) && depth > 0 && depth < DEPTH => self.script(words, depth),
                _ => self.rewritten(argv),
            }
        }
    }

    /// Programs that copy, move or fetch to where their last words say.
    fn copied(&mut self, name: &str, words: &[Word]) -> bool {
        match name {
            "tee" => {
                let append = has(words, &["-a", "--append"]);
                let operation = if append { Operation::Update } else { Operation::Add };
                self.each(&operands(words, &[]), operation);
            }
            "mv" | "cp" | "ln" | "install" => self.placed(name, words),
            "dd" => {
                let targets = words.iter().filter_map(|word| behind(word, "of="));
                for target in targets.collect::<Vec<_>>() {
                    self.push(&target, Operation::Add, true);
                }
            }
            "rsync" | "scp" | "docker" | "podman" | "kubectl" | "aws" | "gsutil" => {
                self.downloaded(name, words);
            }
            "curl" => self.curl(words),
            "wget" => self.wget(words),
            _ => return false,
        }
        true
    }

    fn placed(&mut self, name: &str, words: &[Word]) {
        // `install -d` makes folders.
        if name == "install" && has(words, &["-d", "--directory"]) {
            return;
        }
        let valued: &[&str] = &["-S", "--suffix", "-m", "--mode", "-o", "--owner", "-g", "--group", "-t"];
        let valued = if name == "install" { valued } else { &["-S", "--suffix", "-t"] };
        let operands = operands(words, valued);
        // `-t DIR` turns the operands around; what they are called there is not followed.
        if has(words, &["-t"]) || words.iter().any(|word| word.text.starts_with("--target-directory")) {
            if name == "mv" {
                self.each(&operands, Operation::Move);
            }
            self.unnamed_in(values(words, &["-t", "--target-directory"]).last(), Operation::Add);
            return;
        }
        match (name, operands.as_slice()) {
            ("mv", operands) => self.moved(operands),
            ("ln", [source]) => {
                let name = Word { text: program_name(&source.text).to_owned(), form: source.form };
                self.push(&name, Operation::Add, false);
            }
            (_, [_, .., target]) => self.push(target, Operation::Add, false),
            _ => {}
        }
    }

    /// Editors of streams that were told to write their input.
    fn in_place(&mut self, name: &str, words: &[Word]) -> bool {
        match name {
            "sed" | "gsed" => self.each(&sed_files(words), Operation::Update),
            "perl" | "ruby" => self.each(&perl_files(words), Operation::Update),
            "awk" | "gawk" if has(words, &["inplace"]) => {
                let files = operands(words, &["-i", "-v", "-F", "-f"]);
                let skipped = usize::from(!has(words, &["-f"]));
                self.each(files.get(skipped..).unwrap_or_default(), Operation::Update);
            }
            "yq" if has(words, &["-i", "--inplace", "-yi", "--in-place"]) => {
                let files = operands(words, &["-P", "-p", "-o"]);
                let skipped = if has(words, &["e", "eval"]) { 2 } else { 1 };
                self.each(files.get(skipped..).unwrap_or_default(), Operation::Update);
            }
            "sd" if !has(words, &["-p", "--preview"]) => {
                let files = operands(words, &["-f", "--flags", "-n"]);
                self.each(files.get(2..).unwrap_or_default(), Operation::Update);
            }
            "patch" => self.patch(words),
            _ => return false,
        }
        true
    }

    /// `patch [file [patch]]`; which files a patch is of stands in the patch.
    fn patch(&mut self, words: &[Word]) {
        if has(words, &["--dry-run", "-C", "--check", "--version", "-v", "--help"]) {
            return;
        }
        let valued = &["-p", "-i", "--input", "-d", "--directory", "-o", "--output", "-D", "-F", "-r", "-B"];
        let outputs = values(words, &["-o", "--output"]);
        match (outputs.last(), operands(words, valued).first()) {
            (Some(target), _) => self.push(target, Operation::Add, false),
            (None, Some(file)) => self.push(file, Operation::Update, true),
            (None, None) => self.unnamed_in(values(words, &["-d", "--directory"]).last(), Operation::Update),
        }
    }

    /// Archives.
    fn unpacked(&mut self, name: &str, words: &[Word]) -> bool {
        match name {
            "tar" | "bsdtar" | "gtar" => self.tar(words),
            "unzip" => {
                let reads = |word: &Word| {
                    is_cluster(&word.text) && word.text.contains(['l', 't', 'p', 'v', 'Z', 'z', 'c'])
                };
                // Behind `-d` stands the folder, behind `-x` what is left out.
                if !words.iter().any(reads) && !words.is_empty() {
                    self.unnamed_in(values(words, &["-d"]).last(), Operation::Add);
                }
            }
            "zip" => self.each(operands(words, &["-x", "-i"]).get(..1).unwrap_or_default(), Operation::Add),
            "7z" | "7za" => match operands(words, &[]).as_slice() {
                [verb, archive, ..] if verb.text == "a" => self.push(archive, Operation::Add, false),
                [verb, ..] if matches!(verb.text.as_str(), "x" | "e") => {
                    self.unnamed_in(None, Operation::Add);
                }
                _ => {}
            },
            "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" => {
                let only_reads = |word: &Word| {
                    matches!(word.text.as_str(), "--stdout" | "--test" | "--list" | "--to-stdout")
                        || (is_cluster(&word.text) && word.text.contains(['c', 't', 'l']))
                };
                let files = operands(words, &[]);
                if !words.iter().any(only_reads) && !files.is_empty() {
                    if !has(words, &["-k", "--keep"]) && !name.ends_with("zstd") {
                        self.each(&files, Operation::Delete);
                    }
                    self.unnamed_in(None, Operation::Add);
                }
            }
            _ => return false,
        }
        true
    }

    /// The first word may be a cluster without its sign.
    fn tar(&mut self, words: &[Word]) {
        let bare = words.first().filter(|word| !word.text.starts_with('-'));
        let clusters: Vec<&str> = bare
            .into_iter()
            .chain(words.iter().filter(|word| is_cluster(&word.text)))
            .map(|word| word.text.as_str())
            .collect();
        let does =
            |letter, long: &[&str]| clusters.iter().any(|text| text.contains(letter)) || has(words, long);
        if does('x', &["--extract", "--get"]) {
            if !does('O', &["--to-stdout"]) {
                self.unnamed_in(values(words, &["-C", "--directory"]).last(), Operation::Add);
            }
        } else if does('c', &["--create"]) || does('r', &["--append"]) || does('u', &["--update"]) {
            // The archive stands behind the cluster that ends in `f`.
            let archive = words
                .iter()
                .zip(words.iter().skip(1))
                .find(|(word, _)| word.text.ends_with('f') && clusters.contains(&word.text.as_str()))
                .map(|(_, archive)| archive.clone());
            let archive = archive.or_else(|| values(words, &["--file"]).pop());
            if let Some(archive) = archive {
                self.push(&archive, Operation::Add, false);
            }
        }
    }

    fn find(&mut self, words: &[Word], depth: usize) {
        let mut rest = words;
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            match word.text.as_str() {
                "-delete" => self.unnamed_in(None, Operation::Delete),
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "--exec" | "-X" | "--exec-batch" => {
                    let end = more.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
                    let (inner, behind) = more.split_at(end.unwrap_or(more.len()));
                    let mut inner: Vec<Word> = inner.iter().map(found_by).collect();
                    // `fd` puts what it found at the end.
                    if !word.text.starts_with("-exec")
                        && !inner.iter().any(|word| word.form == Form::Expanded)
                    {
                        inner.push(Word { text: "$@".to_owned(), form: Form::Expanded });
                    }
                    self.program(&inner, depth + 1);
                    rest = behind;
                }
                "-fprint" | "-fprint0" | "-fls" => {
                    if let Some(target) = more.first() {
                        self.push(target, Operation::Add, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// The command behind the options, with words that it is only given when it runs.
    fn xargs(&mut self, words: &[Word], depth: usize) {
        const VALUED: &[&str] =
            &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "-j", "--jobs", "--max-args", "--max-procs"];
        // What `parallel` is to go over stands behind its mark.
        let end = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
        let words = words.get(..end).unwrap_or_default();
        let mut place = 0;
        while let Some(word) = words.get(place).filter(|word| word.text.starts_with('-')) {
            place += if VALUED.contains(&word.text.as_str()) { 2 } else { 1 };
        }
        let replaced = values(words, &["-I"]).pop().map(|word| word.text);
        let mut inner: Vec<Word> = words.get(place..).unwrap_or_default().iter().map(found_by).collect();
        for word in &mut inner {
            if replaced.as_ref().is_some_and(|name| word.text.contains(name.as_str())) {
                word.form = Form::Expanded;
            }
        }
        if replaced.is_none() && !inner.is_empty() {
            inner.push(Word { text: "$@".to_owned(), form: Form::Expanded });
        }
        self.program(&inner, depth + 1);
    }

    /// `sh -c script`, where the shell's words are only known when it runs.
    fn script(&mut self, words: &[Word], depth: usize) {
        let whole = |word: &Word| word.form == Form::Plain || word.text.contains("{}");
        let script = values(words, &["-c"]).pop().filter(whole);
        let Some(members) = script.and_then(|script| of_script(&script.text, None)) else { return };
        for inner in &members.list {
            for written in &inner.redirections.written {
                self.push(&found_by(&written.target), written.operation, true);
            }
            let argv: Vec<Word> = inner.argv.iter().map(found_by).collect();
            self.program(&argv, depth + 1);
        }
    }

    fn rewritten(&mut self, argv: &[Word]) {
        let Some(Rewritten { files, operation, even_failed }) = rewritten(argv) else { return };
        if files.is_empty() {
            self.unnamed(operation, stands_in_scratch(self.member), even_failed);
        }
        for file in files {
            self.push(file, operation, even_failed);
        }
    }
}

/// A word of `find -exec` and its kin: `{}` is a file that was found.
fn found_by(word: &Word) -> Word {
    let form = if word.text.contains("{}") { Form::Expanded } else { word.form };
    Word { text: word.text.clone(), form }
}
