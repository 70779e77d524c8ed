//! Which files a shell command writes, and which it leaves alone.

use super::observation::Operation::{self, Add, Delete, Move, Update};
use super::sample::{Session, Written, runs, writes};

fn one(operation: Operation, path: &str, scratch: bool) -> Vec<Written> {
    vec![(operation, path.to_owned(), scratch)]
}

fn check(table: &[(&str, Vec<Written>)]) {
    for (command, expected) in table {
        assert_eq!(&writes(command), expected, "{command}");
    }
}

fn none(commands: &[&str]) {
    for command in commands {
        assert_eq!(writes(command), [], "{command}");
    }
}

#[test]
fn shell_writes_are_found() {
    for (command, expected) in [
        ("echo a > b", one(Add, "b", false)),
        ("echo a >> b", one(Update, "b", false)),
        ("echo a >| b", one(Add, "b", false)),
        ("a &> b", one(Add, "b", false)),
        ("a 2>&1 >/dev/null 2>err", one(Add, "err", false)),
        ("a >&$fd 2>&-", Vec::new()),
        ("cat > b <<'EOF'\nx > y\nEOF", one(Add, "b", false)),
        ("echo a > /tmp/b", one(Add, "/tmp/b", true)),
        ("echo a > /tmp/../etc/b", one(Add, "/etc/b", false)),
        ("echo a > $TMPDIR/b", one(Add, "$TMPDIR/b", true)),
        ("echo a > \"$X\"", one(Add, "?", false)),
        ("a 2>&1 >&2", Vec::new()),
        ("cd sub && echo a > b", one(Add, "sub/b", false)),
        ("cd /w && echo a > b", one(Add, "/w/b", false)),
        ("a | tee -a b", one(Update, "b", false)),
        ("sed -i.bak -e s/a/b/ c", one(Update, "c", false)),
        ("sed -i '' s/a/b/ c", one(Update, "c", false)),
        ("sed -n 1p c", Vec::new()),
        ("perl -pi -e 's/a/b/' c", one(Update, "c", false)),
        ("mv a b", vec![(Move, "a".to_owned(), false), (Add, "b".to_owned(), false)]),
        ("cp -r a b", one(Add, "b", false)),
        ("rm -rf a", one(Delete, "a", false)),
        ("rm *.o", one(Delete, "?", false)),
        ("git mv a b", vec![(Move, "a".to_owned(), false), (Add, "b".to_owned(), false)]),
        ("git rm a", one(Delete, "a", false)),
        ("git rm --cached a", Vec::new()),
        ("{ a; b; } > c", one(Add, "c", false)),
        ("docker exec web rm a", Vec::new()),
        ("docker exec web cat a > b", one(Add, "b", false)),
        ("docker exec web sh -c 'cat a > b'", Vec::new()),
        ("ssh host 'cat a > b'", Vec::new()),
        ("ssh host cat a > b", one(Add, "b", false)),
        ("mkdir -p a && rmdir b && chmod +x c", Vec::new()),
    ] {
        assert_eq!(writes(command), expected, "{command}");
    }
}

#[test]
fn a_target_by_variable_is_followed_where_it_is_certain() {
    check(&[
        ("OUT=a/b.txt; echo x > $OUT", one(Add, "a/b.txt", false)),
        ("OUT=/tmp/x.log; cargo test > \"$OUT\" 2>&1", one(Add, "/tmp/x.log", true)),
        ("D=/tmp/d; echo x > \"${D}/y\"", one(Add, "/tmp/d/y", true)),
        ("export OUT=b; echo x > $OUT", one(Add, "b", false)),
        ("T=$(mktemp); echo x > $T", one(Add, "$T", true)),
        ("T=$(mktemp -d); echo x > $T/y", one(Add, "$T/y", true)),
        ("T=$(mktemp ./y.XXX); echo x > $T", one(Add, "?", false)),
        ("echo x > /tmp/y.$$", one(Add, "/tmp/y.$$", true)),
        ("echo x > /tmp/../$Y", one(Add, "?", false)),
        ("A=b; A=c; echo x > $A", one(Add, "?", false)),
        ("A=b echo x > $A", one(Add, "?", false)),
        ("for f in a b; do sed -i s/x/y/ $f; done", one(Update, "?", false)),
        ("rm -f /tmp/x*", one(Delete, "/tmp/x*", true)),
        ("cd /tmp/w && rm *.o", one(Delete, "/tmp/w/*.o", true)),
        ("rm a* b* $C", one(Delete, "?", false)),
    ]);
}

#[test]
fn files_are_written_by_many_programs() {
    check(&[
        ("touch a", one(Add, "a", false)),
        ("touch -d yesterday a", one(Add, "a", false)),
        ("ln -sf ../a b", one(Add, "b", false)),
        ("ln -s ../a", one(Add, "a", false)),
        ("install -m 755 a /usr/local/bin/a", one(Add, "/usr/local/bin/a", false)),
        ("dd if=/dev/zero of=a bs=1M count=1", one(Add, "a", false)),
        ("truncate -s 0 a", one(Update, "a", false)),
        ("rsync -a --exclude .git a/ b/", one(Add, "b", false)),
        ("scp me@host:a b", one(Add, "b", false)),
        ("docker cp web:/a b", one(Add, "b", false)),
        ("aws s3 cp s3://a/b c", one(Add, "c", false)),
        ("sort a | sponge a", one(Add, "a", false)),
        ("sort -o a a", one(Add, "a", false)),
        ("curl -fsSL -o a https://x.example/b", one(Add, "a", false)),
        ("curl -sSLo a https://x.example/b", one(Add, "a", false)),
        ("curl --output a https://x.example/b", one(Add, "a", false)),
        ("curl -LO https://x.example/b.tgz", one(Add, "b.tgz", false)),
        ("curl -o /tmp/a https://x.example/b", one(Add, "/tmp/a", true)),
        ("wget -q https://x.example/b.tgz", one(Add, "b.tgz", false)),
        ("wget -O a https://x.example/b", one(Add, "a", false)),
        ("wget -qOa https://x.example/b", one(Add, "a", false)),
        ("cp -t d a b", one(Add, "?", false)),
        ("mv -t d a", vec![(Move, "a".to_owned(), false), (Add, "?".to_owned(), false)]),
        ("gawk -i inplace '{print}' a", one(Update, "a", false)),
        ("yq -i '.a = 1' a.yml", one(Update, "a.yml", false)),
        ("ruby -pi -e 'x' a", one(Update, "a", false)),
        ("ed -s a <<'EOF'\nw\nEOF", one(Update, "a", false)),
        ("gzip -k a", one(Add, "?", false)),
        ("openssl req -x509 -out a.pem", one(Add, "a.pem", false)),
    ]);
    none(&[
        "touch -c a",
        "install -d a",
        "dd if=a of=/dev/null",
        "rsync -an a/ b/",
        "rsync -a a/ host:b",
        "docker cp a web:/b",
        "aws s3 cp a s3://b",
        "aws s3 ls",
        "sort a",
        "curl -s https://x.example/b",
        "curl -o /dev/null -w '%{http_code}' https://x.example",
        "curl -X OPTIONS https://x.example",
        "wget -qO- https://x.example/b",
        "wget --spider https://x.example/b",
        "awk '{print}' a",
        "yq '.a' a.yml",
        "zcat a.gz",
        "gzip -t a.gz",
    ]);
}

#[test]
fn archives_and_patches_write_what_they_hold() {
    check(&[
        ("tar xzf a.tgz", one(Add, "?", false)),
        ("tar -xf a.tar -C sub", one(Add, "?", false)),
        ("tar xf a.tar -C /tmp/x", one(Add, "?", true)),
        ("cd /tmp/x && tar xf a.tar", one(Add, "?", true)),
        ("tar czf a.tgz src", one(Add, "a.tgz", false)),
        ("tar -c -f a.tar src", one(Add, "a.tar", false)),
        ("curl -s https://x.example/a | tar xz", one(Add, "?", false)),
        ("unzip -q a.zip", one(Add, "?", false)),
        ("unzip a.zip -d /tmp/x", one(Add, "?", true)),
        ("zip -r a.zip src", one(Add, "a.zip", false)),
        ("patch -p1 < a.patch", one(Update, "?", false)),
        ("patch -p1 -i a.patch", one(Update, "?", false)),
        ("patch a.c a.patch", one(Update, "a.c", false)),
    ]);
    none(&[
        "tar tzf a.tgz",
        "tar -tf a.tar",
        "tar xOf a.tar x",
        "unzip -l a.zip",
        "unzip -p a.zip x",
        "patch --dry-run -p1 < a.patch",
    ]);
}

#[test]
fn what_finds_files_changes_them_by_the_command_that_it_is_given() {
    check(&[
        ("find . -name '*.orig' -delete", one(Delete, "?", false)),
        ("find /tmp -name x -exec rm {} +", one(Delete, "?", false)),
        ("find . -name '*.o' -exec rm -f {} \\;", one(Delete, "?", false)),
        ("find . -name '*.rs' | xargs sed -i s/a/b/", one(Update, "?", false)),
        ("find . -print0 | xargs -0 -n 1 rm", one(Delete, "?", false)),
        ("ls | xargs -I{} cp {} out/{}", one(Add, "?", false)),
        ("git ls-files | xargs gofmt -w", one(Update, "?", false)),
        ("git diff --name-only | xargs git checkout --", one(Update, "?", false)),
        ("find . -name x -fprint list", one(Add, "list", false)),
        ("ls | xargs -I{} sh -c 'sed -i s/a/b/ {} && echo {}'", one(Update, "?", false)),
        ("find . -exec sh -c 'echo x > \"$1\"' _ {} \\;", one(Add, "?", false)),
        ("ls *.ts | parallel prettier --write", one(Update, "?", false)),
        ("parallel -j 4 rm {} ::: a b", one(Delete, "?", false)),
        ("fd -e orig -x rm", one(Delete, "?", false)),
    ]);
    none(&[
        "find . -name x",
        "find . -name x -exec grep y {} +",
        "find . -name '*.rs' | xargs grep x",
        "find . | xargs sed -n 1p",
        "ls | xargs git log",
        "ls | xargs -I{} sh -c 'grep x {}'",
        "fd -e rs -x grep x",
    ]);
}

#[test]
fn formatters_write_unless_they_check() {
    for command in [
        "cargo fmt",
        "cargo fmt --all",
        "cargo clippy --fix --allow-dirty",
        "prettier --write .",
        "npx prettier --write 'src/**/*.ts'",
        "eslint --fix src",
        "ruff check --fix .",
        "ruff format",
        "python -m black src",
        "isort src",
        "gofmt -l -w .",
        "go fmt ./...",
        "goimports -w pkg",
        "mix format",
        "dart format .",
        "rubocop -a",
        "bundle exec rubocop -A",
        "vendor/bin/php-cs-fixer fix src",
        "swiftformat .",
        "dotnet format",
        "terraform fmt -recursive",
        "npm run format",
        "npm run lint:fix",
        "pnpm --filter web format",
        "make fmt",
        "just fix",
        "jest -u",
        "cargo insta accept",
        "ast-grep run -p x -r y -U",
        "./gradlew spotlessApply",
        "biome check --write .",
    ] {
        assert_eq!(writes(command), one(Update, "?", false), "{command}");
    }
    check(&[
        ("rustfmt src/a.rs", one(Update, "src/a.rs", false)),
        (
            "clang-format -i a.c b.h",
            vec![(Update, "a.c".to_owned(), false), (Update, "b.h".to_owned(), false)],
        ),
        ("black a.py", one(Update, "a.py", false)),
        ("cd /tmp/x && black .", one(Update, "?", true)),
    ]);
    none(&[
        "cargo fmt --check",
        "ast-grep run -p x -r y",
        "cargo fmt --all -- --check",
        "cargo clippy",
        "rustfmt --check src/a.rs",
        "prettier --check .",
        "prettier src/a.ts",
        "eslint src",
        "eslint --fix-dry-run src",
        "ruff check .",
        "ruff check --fix --diff .",
        "ruff format --check",
        "black --check .",
        "black --diff .",
        "isort --check-only .",
        "gofmt -l .",
        "mix format --check-formatted",
        "dart format --output=none --set-exit-if-changed .",
        "rubocop",
        "php-cs-fixer fix --dry-run",
        "clang-format --dry-run -Werror a.c",
        "terraform fmt -check",
        "npm run format:check",
        "npm run lint",
        "make check-format",
        "jest",
        "docker exec web black .",
    ]);
}

#[test]
fn package_managers_and_generators_write_their_files() {
    for (command, operation) in [
        ("npm install left-pad", Update),
        ("npm i -D vitest", Update),
        ("pnpm add x", Update),
        ("yarn add x", Update),
        ("cargo add serde", Update),
        ("cargo update -p serde", Update),
        ("uv add httpx", Update),
        ("poetry add httpx", Update),
        ("go get x.example/y", Update),
        ("go mod tidy", Update),
        ("bundle add rails", Update),
        ("composer require a/b", Update),
        ("cargo new x", Add),
        ("npm init -y", Add),
        ("npx create-next-app@latest app", Add),
        ("npm create vite@latest", Add),
        ("rails g model x", Add),
        ("python manage.py makemigrations", Add),
        ("go generate ./...", Add),
    ] {
        assert_eq!(writes(command), one(operation, "?", false), "{command}");
    }
    none(&[
        "npm ci",
        "npm install",
        "npm install -g x",
        "pnpm install --frozen-lockfile",
        "yarn",
        "cargo build",
        "cargo install x",
        "cargo add --dry-run x",
        "uv sync",
        "uv lock --check",
        "pip install x",
        "go mod download",
        "go build ./...",
        "bundle install",
        "npm version",
        "python manage.py makemigrations --check",
        "python -c 'open(\"a\", \"w\")'",
    ]);
}

#[test]
fn a_run_before_files_that_are_not_named_is_stale() {
    for (after, code, stale) in [
        ("cargo fmt", 0, true),
        ("ruff check --fix .", 1, true),
        ("npm install x", 0, true),
        ("npm install x", 1, false),
        ("rm *.o", 0, true),
        ("cargo fmt --check", 1, false),
        ("cd /tmp/x && tar xf a.tar", 0, false),
        ("git reset HEAD a", 0, false),
        ("git reset --hard", 0, true),
    ] {
        let mut session = Session::default();
        session.bash("pytest", 0, "");
        session.bash(after, code, "");
        assert_eq!(runs(&session.rows())[0].4, stale, "{after} {code}");
    }
}
