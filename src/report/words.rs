//! How many words a text has, so that one cap holds for every script and cannot be got around by leaving out
//! spaces. It counts visible text; it knows no format.

use unicode_script::{Script, UnicodeScript as _};
use unicode_segmentation::UnicodeSegmentation as _;

/// Characters of scripts without spaces that count as one word.
const CHARS_PER_SPACELESS_WORD: usize = 4;
/// Characters of any kind that count as one word at least.
const CHARS_PER_WORD: usize = 16;

/// The number of words: the largest of the pieces between white space, the words of UAX #29 (a run of `n`
/// characters of scripts without spaces counts as `n / 4`, rounded up), and a sixteenth of the characters.
pub fn words(text: &str) -> usize {
    let pieces = text.split_whitespace().count();
    let by_length = text.chars().count().div_ceil(CHARS_PER_WORD);
    pieces.max(segmented(text)).max(by_length)
}

/// Words of UAX #29, but runs of scripts without spaces by their length: the standard's own rules give one
/// word a letter there, or none at all.
fn segmented(text: &str) -> usize {
    let mut total = 0;
    let mut spaced_start = 0;
    let mut run_chars = 0_usize;
    for (place, letter) in text.char_indices() {
        let continues = run_chars > 0 && letter.script() == Script::Inherited;
        if is_spaceless(letter) || continues {
            if run_chars == 0 {
                total += unicode_words(text, spaced_start, place);
            }
            run_chars += 1;
            spaced_start = place + letter.len_utf8();
        } else {
            total += run_chars.div_ceil(CHARS_PER_SPACELESS_WORD);
            run_chars = 0;
        }
    }
    total + run_chars.div_ceil(CHARS_PER_SPACELESS_WORD) + unicode_words(text, spaced_start, text.len())
}

fn unicode_words(text: &str, start: usize, end: usize) -> usize {
    text.get(start..end).map_or(0, |part| part.unicode_words().count())
}

fn is_spaceless(letter: char) -> bool {
    const SPACELESS: [Script; 20] = [
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Bopomofo,
        Script::Yi,
        Script::Thai,
        Script::Lao,
        Script::Khmer,
        Script::Myanmar,
        Script::Tibetan,
        Script::Javanese,
        Script::Balinese,
        Script::Tai_Le,
        Script::New_Tai_Lue,
        Script::Tai_Tham,
        Script::Tai_Viet,
        Script::Ahom,
        Script::Tangut,
        Script::Nushu,
        Script::Khitan_Small_Script,
    ];
    match letter.script() {
        // The lengthening mark of kana and its kind: common to several scripts, all of them without spaces.
        Script::Common if letter.is_alphabetic() => {
            let scripts = letter.script_extension();
            !scripts.is_common() && SPACELESS.iter().any(|script| scripts.contains_script(*script))
        }
        script => SPACELESS.contains(&script),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn spaced_scripts_count_as_people_count_them() {
        assert_eq!(words(""), 0);
        assert_eq!(words(" \n\t "), 1, "white space alone still has characters");
        assert_eq!(words("fixed the parser, then ran the tests"), 7);
        assert_eq!(words("исправил разбор и запустил тесты"), 5);
        assert_eq!(words("أصلح المحلل ثم شغل الاختبارات"), 5);
        assert_eq!(words("파서를 고치고 시험을 돌렸다"), 4);
    }

    #[test]
    fn scripts_without_spaces_count_a_quarter_of_a_run() {
        assert_eq!(words("修正"), 1);
        assert_eq!(words("修正了解析器然后运行测试"), 3);
        assert_eq!(words("パーサーを直した"), 2);
        assert_eq!(words("か\u{3099}か\u{3099}"), 1, "a combining mark stays in its run");
        assert_eq!(words("แก้ตัวแยกวิเคราะห์"), 5);
        assert_eq!(words("修正 parser 测试"), 3);
        assert_eq!(words("修正parser测试"), 3);
    }

    #[test]
    fn leaving_out_spaces_does_not_help() {
        assert_eq!(words("fixed_the_parser_then_ran_all_of_the_tests_again"), 3);
        assert_eq!(words("fixed,the,parser"), 3);
        assert_eq!(words(&"a".repeat(160)), 10);
        assert_eq!(words(&"😀".repeat(33)), 3);
    }

    #[test]
    fn punctuation_between_spaces_counts_as_pieces() {
        assert_eq!(words("- - - -"), 4);
    }
}
