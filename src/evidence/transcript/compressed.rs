//! The bytes of a `.jsonl.zst`: zstd decoded while it is read, bounded in memory, in size and in how far a little
//! data may grow. Frames may follow one another, skippable ones are skipped, checksums and stated sizes are
//! checked. Not read: frames that need a dictionary.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::base::Refusal;
use crate::base::limits::{
    DECOMPRESSED_BYTES, DECOMPRESSED_FREE_BYTES, DECOMPRESSED_RATIO, DECOMPRESSION_WINDOW_BYTES,
};
use crate::base::rules::Code;

/// How every zstd frame begins.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Skippable frames begin with one of sixteen numbers from here on (RFC 8878, 3.1.2), little-endian.
const SKIPPABLE: std::ops::RangeInclusive<u32> = 0x184d_2a50..=0x184d_2a5f;

/// Why compressed data gives no more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// It is not zstd, is cut, does not have its checksum or stated size, or needs a dictionary or a larger window.
    Damaged,
    /// It would grow beyond the bounds.
    TooLarge,
}

impl Trouble {
    /// The code of a refusal for it.
    pub const fn code(self) -> Code {
        match self {
            Self::Damaged => Code::CompressedDamaged,
            Self::TooLarge => Code::CompressedTooLarge,
        }
    }

    /// What an error of [`Decompressed`] says of the data; `None` for an error of the reader below it.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).copied()
    }

    /// The refusal for an error of [`Decompressed`]; `None` for an error of the reader below it.
    pub fn refusal(error: &io::Error) -> Option<Refusal> {
        Self::of(error).map(|trouble| Refusal::new(trouble.code()))
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code().rule().statement)
    }
}

impl std::error::Error for Trouble {}

/// Decodes zstd while it is read. Every byte that it gives is right as far as the frame is known; what is wrong
/// with the data is an error at the place where it shows, a wrong checksum after the last byte of its frame. An
/// error stays: reading on gives it again.
pub struct Decompressed<R: Read> {
    input: Counted<R>,
    decoder: FrameDecoder,
    state: State,
    frame_bytes: u64,
    given_bytes: u64,
}

#[derive(Clone, Copy)]
enum State {
    /// Before the first frame: an empty file is none.
    Start,
    Between,
    Inside,
    Failed(Trouble),
}

impl<R: Read> Decompressed<R> {
    /// Decodes what `reader` gives from here on.
    pub fn new(reader: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(DECOMPRESSION_WINDOW_BYTES);
        let input = Counted { reader: BufReader::new(reader), taken_bytes: 0, failed: None };
        Self { input, decoder, state: State::Start, frame_bytes: 0, given_bytes: 0 }
    }

    /// Bytes given so far.
    pub const fn given_bytes(&self) -> u64 {
        self.given_bytes
    }

    /// Opens the next frame; false at the end of the data.
    fn open_frame(&mut self, first: bool) -> io::Result<bool> {
        loop {
            if self.input.is_at_end()? {
                return if first { self.fail(Trouble::Damaged) } else { Ok(false) };
            }
            let magic: [u8; 4] = self.exactly()?;
            if !SKIPPABLE.contains(&u32::from_le_bytes(magic)) {
                let opened = self.decoder.reset(magic.as_slice().chain(&mut self.input));
                return if opened.is_err() { self.damaged() } else { Ok(true) };
            }
            let length = u64::from(u32::from_le_bytes(self.exactly()?));
            if io::copy(&mut (&mut self.input).take(length), &mut io::sink())? < length {
                return self.fail(Trouble::Damaged);
            }
        }
    }

    fn exactly(&mut self) -> io::Result<[u8; 4]> {
        let mut bytes = [0; 4];
        if self.input.read_exact(&mut bytes).is_err() {
            return self.damaged();
        }
        Ok(bytes)
    }

    /// Ends the frame after its last byte was given.
    fn close_frame(&mut self) -> io::Result<()> {
        let stated = self.decoder.content_size();
        let sum = self.decoder.get_checksum_from_data();
        let is_whole = stated == 0 || stated == self.frame_bytes;
        if !is_whole || sum.is_some() && sum != self.decoder.get_calculated_checksum() {
            return self.fail(Trouble::Damaged);
        }
        self.state = State::Between;
        Ok(())
    }

    /// Counts what is about to be given.
    fn give(&mut self, bytes: u64) -> io::Result<()> {
        self.frame_bytes += bytes;
        self.given_bytes += bytes;
        let allowed =
            self.input.taken_bytes.saturating_mul(DECOMPRESSED_RATIO).saturating_add(DECOMPRESSED_FREE_BYTES);
        if self.given_bytes > allowed.min(DECOMPRESSED_BYTES) {
            return self.fail(Trouble::TooLarge);
        }
        Ok(())
    }

    /// Damage, unless the reader below said why the data ended. Either way the place in the data is lost.
    fn damaged<T>(&mut self) -> io::Result<T> {
        let damage = self.fail(Trouble::Damaged);
        self.input.failed.take().map_or(damage, Err)
    }

    fn fail<T>(&mut self, trouble: Trouble) -> io::Result<T> {
        self.state = State::Failed(trouble);
        Err(io::Error::other(trouble))
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                State::Failed(trouble) => return Err(io::Error::other(trouble)),
                State::Start | State::Between => {
                    if !self.open_frame(matches!(self.state, State::Start))? {
                        return Ok(0);
                    }
                    self.frame_bytes = 0;
                    self.state = State::Inside;
                }
                State::Inside if self.decoder.can_collect() > 0 => {
                    let count = self.decoder.read(into)?;
                    self.give(count as u64)?;
                    return Ok(count);
                }
                State::Inside if self.decoder.is_finished() => self.close_frame()?,
                State::Inside => {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    if self.decoder.decode_blocks(&mut self.input, one).is_err() {
                        return self.damaged();
                    }
                }
            }
        }
    }
}

/// Counts what the decoder takes, and keeps an error of the system that the decoder would hide among its own.
struct Counted<R: Read> {
    reader: BufReader<R>,
    taken_bytes: u64,
    failed: Option<io::Error>,
}

impl<R: Read> Counted<R> {
    fn is_at_end(&mut self) -> io::Result<bool> {
        self.reader.fill_buf().map(<[u8]>::is_empty)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(into).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.failed = Some(io::Error::new(error.kind(), "the reader of compressed data failed"));
            }
        })?;
        self.taken_bytes += got as u64;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::{Decompressed, Trouble};
    use crate::base::rules::Code;

    /// `hello hello hello hello` and a line feed, by the reference encoder with its checksum.
    const HELLO: &str = "28b52ffd04586d00003868656c6c6f200a0100994b11a87c2ea8";

    fn bytes(hex: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()
    }

    fn decode(data: &[u8]) -> Result<Vec<u8>, Trouble> {
        let mut given = Vec::new();
        Decompressed::new(data)
            .read_to_end(&mut given)
            .map(|_| given)
            .map_err(|error| Trouble::of(&error).unwrap())
    }

    /// A frame without checksum of one block: `kind` 0 is raw, 1 repeats one byte.
    fn frame(kind: u32, size: u32, content: &[u8]) -> Vec<u8> {
        let mut frame = bytes("28b52ffd0058");
        let header = (size << 3 | kind << 1 | 1).to_le_bytes();
        frame.extend_from_slice(&header[..3]);
        frame.extend_from_slice(content);
        frame
    }

    #[test]
    fn frames_of_the_reference_encoder_follow_one_another() {
        let line = b"hello hello hello hello\n".to_vec();
        assert_eq!(decode(&bytes(HELLO)).unwrap(), line);
        let skippable = bytes("532a4d1803000000ffffff");
        let all = [bytes(HELLO), skippable.clone(), frame(0, 2, b"{}"), bytes(HELLO), skippable].concat();
        assert_eq!(decode(&all).unwrap(), [line.clone(), b"{}".to_vec(), line].concat());
    }

    #[test]
    fn what_is_cut_or_changed_is_damaged_wherever() {
        let whole = bytes(HELLO);
        for cut in 0..whole.len() {
            assert_eq!(decode(&whole[..cut]), Err(Trouble::Damaged), "cut at {cut}");
        }
        let mut wrong_sum = whole.clone();
        *wrong_sum.last_mut().unwrap() ^= 1;
        assert_eq!(decode(&wrong_sum), Err(Trouble::Damaged));
        for behind in ["7b", "7b7d0a0a0a", "532a4d18ffff"] {
            assert_eq!(decode(&[whole.clone(), bytes(behind)].concat()), Err(Trouble::Damaged), "{behind}");
        }
        let with_dictionary = bytes("28b52ffd01580121000000");
        assert_eq!(decode(&with_dictionary), Err(Trouble::Damaged));
    }

    #[test]
    fn a_stated_size_must_be_the_size() {
        // One segment, size in one byte: 2 and 3 for two bytes.
        let stated = |size: &str| bytes(&format!("28b52ffd20{size}1100007b7d"));
        assert_eq!(decode(&stated("02")).unwrap(), b"{}");
        assert_eq!(decode(&stated("03")), Err(Trouble::Damaged));
    }

    #[test]
    fn a_little_data_may_not_grow_without_bound() {
        // Each frame has ten bytes and becomes 128 KiB: the free megabyte holds eight of them.
        let grown = frame(1, 128 * 1024, b"x");
        assert_eq!(decode(&grown.repeat(8)).unwrap().len(), 1024 * 1024);
        assert_eq!(decode(&grown.repeat(9)), Err(Trouble::TooLarge));
        // With enough real data before it the same is allowed.
        let real = frame(0, 1024, &[b'y'; 1024]);
        assert!(decode(&[real, grown.repeat(9)].concat()).is_ok());
    }

    #[test]
    fn a_window_that_would_fill_the_memory_is_not_opened() {
        // Window descriptor f8: 2^41 bytes.
        assert_eq!(decode(&bytes("28b52ffd00f8110000787a")), Err(Trouble::Damaged));
    }

    #[test]
    fn an_error_of_the_reader_is_not_called_damage_and_stays_apart() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let data = bytes(HELLO);
                let Some(byte) = data.get(self.0).filter(|_| self.0 < 12) else {
                    return Err(io::Error::from(io::ErrorKind::PermissionDenied));
                };
                self.0 += 1;
                into[0] = *byte;
                Ok(1)
            }
        }
        let error = Decompressed::new(Broken(0)).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!((error.kind(), Trouble::of(&error)), (io::ErrorKind::PermissionDenied, None));
        let mut damaged = Decompressed::new(&b"plain"[..]);
        for _ in 0..2 {
            let error = damaged.read(&mut [0; 8]).unwrap_err();
            assert_eq!(Trouble::refusal(&error).unwrap().code(), Code::CompressedDamaged);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back_however_they_are_read(
            content in prop::collection::vec(any::<u8>(), 0..4096),
            times in 1_usize..200,
            step in 1_usize..70_000,
        ) {
            let content = content.repeat(times);
            let data = compress_to_vec(content.as_slice(), CompressionLevel::Fastest);
            let mut given = Vec::new();
            let mut decompressed = Decompressed::new(data.as_slice());
            let mut part = vec![0; step];
            while let Ok(count) = decompressed.read(&mut part) {
                if count == 0 { break }
                given.extend_from_slice(&part[..count]);
            }
            // A text of few bytes repeated often may grow too far; then it stops with that and nothing else.
            let as_far = given.len() == content.len() || content.len() as u64 > data.len() as u64 * 200;
            prop_assert!(as_far && content.starts_with(&given));
            prop_assert_eq!(decompressed.given_bytes() >= given.len() as u64, true);
        }

        #[test]
        fn changed_bytes_never_panic(place in 0_usize..26, byte in any::<u8>(), times in 1_usize..4) {
            let mut data = bytes(HELLO).repeat(times);
            data[place] = byte;
            let _ = decode(&data);
        }
    }
}
