internal import ProxydContentCoding
internal import ProxydParameterCoding

/// Unwraps a file to UTF-8: from gzip, from UTF-16 with or without a byte order mark, and from the
/// mark of UTF-8.
///
/// ```
/// bytes ─▶ (gzip) ─▶ (UTF-16) ─▶ UTF-8
/// ```
struct ImportUnpacker {
    /// Input is unpacked in slices of this size, so that the output of one fits into memory.
    private static let sliceByteCount = 4 << 10
    private static let limits = DecodingLimits(decodedByteCountMax: 16 << 30, ratioMax: 1_000)

    private enum Packing {
        /// The first byte, if it arrived alone.
        case unknown([UInt8])
        case none
        case gzip(ContentDecoder)
    }

    private var packing = Packing.unknown([])
    private var text = WideText()
    /// Why nothing more can be unpacked; nil if more can.
    private(set) var problem: String?

    /// Takes some of the bytes, and returns the text they produce.
    mutating func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        if case .unknown(let begun) = packing {
            rest = begun + rest
            guard rest.count >= 2 else {
                packing = .unknown(Array(rest))
                rest = []
                return []
            }
            begin(isGzip: rest.starts(with: [0x1F, 0x8B]))
        }
        guard case .gzip(let decoder) = packing else {
            defer { rest = [] }
            return text.decode(Array(rest))
        }
        let slice = Array(rest.prefix(ImportUnpacker.sliceByteCount))
        rest = rest.dropFirst(slice.count)
        var unpacked: [UInt8] = []
        do throws(ContentCodingError) {
            try decoder.decode(slice.span, into: &unpacked)
        } catch {
            fail(error)
        }
        return text.decode(unpacked)
    }

    /// Returns what remains at the end of the file.
    mutating func finish() -> [UInt8] {
        switch packing {
        case .none: return text.finish()
        case .unknown(let begun): return text.decode(begun) + text.finish()
        case .gzip(let decoder):
            do throws(ContentCodingError) {
                try decoder.finish()
            } catch {
                fail(error)
            }
            return text.finish()
        }
    }

    private mutating func begin(isGzip: Bool) {
        packing = .none
        guard isGzip else { return }
        do throws(ContentCodingError) {
            packing = .gzip(try ContentDecoder([.gzip], limits: ImportUnpacker.limits))
        } catch {
            fail(error)
        }
    }

    private mutating func fail(_ error: ContentCodingError) {
        switch error {
        case .overLimit: problem = "it becomes more than a thousand times as large as it is"
        case .truncatedInput: problem = "its compressed data ends too early"
        default: problem = "its compressed data is damaged"
        }
    }
}

/// Decodes text that may be UTF-16: recognised by its byte order mark or, without one, by the zero
/// byte next to its opening bracket.
struct WideText {
    private enum Width {
        /// The bytes so far, too few to decide.
        case unknown([UInt8])
        case narrow
        /// `pending` is an incomplete character.
        case wide(isBigEndian: Bool, pending: [UInt8])
    }

    private static let markByteCount = 3

    private var width = Width.unknown([])

    /// Takes more bytes, and returns the text that they complete.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        switch width {
        case .narrow: return bytes
        case .unknown(let begun):
            let all = begun + bytes
            guard all.count >= WideText.markByteCount else {
                width = .unknown(all)
                return []
            }
            return begin(all)
        case .wide(let isBigEndian, let pending):
            return decode(pending + bytes, isBigEndian: isBigEndian)
        }
    }

    /// Returns what remains at the end, without an incomplete character.
    mutating func finish() -> [UInt8] {
        guard case .unknown(let begun) = width else { return [] }
        return begin(begun)
    }

    private mutating func begin(_ bytes: [UInt8]) -> [UInt8] {
        width = .narrow
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) {
            return decode(Array(bytes.dropFirst(2)), isBigEndian: false)
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            return decode(Array(bytes.dropFirst(2)), isBigEndian: true)
        }
        let brackets = Array("{[".utf8)
        if bytes.count >= 2, bytes[1] == 0, brackets.contains(bytes[0]) {
            return decode(bytes, isBigEndian: false)
        }
        if bytes.count >= 2, bytes[0] == 0, brackets.contains(bytes[1]) {
            return decode(bytes, isBigEndian: true)
        }
        return bytes
    }

    private mutating func decode(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        // The first half of a pair waits for the second.
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        width = .wide(isBigEndian: isBigEndian, pending: Array(bytes.dropFirst(units.count * 2)))
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

/// Entries of other programs that are not quite JSON: with numbers that JSON lacks, as Python
/// writes them, or with bytes that are not UTF-8.
enum LenientJSON {
    private static let numbers = ["NaN", "Infinity", "-Infinity"].map { Array($0.utf8) }

    /// - Returns: Its value, and what had to be changed in it.
    /// - Throws: `ImportProblem` if it is still not JSON.
    static func value(_ bytes: [UInt8]) throws(ImportProblem) -> (JSONValue, ImportMarks) {
        do throws(ImportProblem) {
            return (try InterchangeReader.value(bytes), [])
        } catch {
            let text = String(decoding: bytes, as: UTF8.self)
            let repaired = withoutOddNumbers(Array(text.utf8))
            guard repaired != bytes, let value = try? InterchangeReader.value(repaired) else {
                throw error
            }
            return (value, text.utf8.elementsEqual(bytes) ? [] : .damagedText)
        }
    }

    /// The same with `null` in place of numbers that JSON lacks.
    private static func withoutOddNumbers(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var (index, isText) = (0, false)
        while index < bytes.count {
            let byte = bytes[index]
            if isText, byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                result += bytes[index...index + 1]
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") { isText.toggle() }
            if !isText, let word = numbers.first(where: { bytes[index...].starts(with: $0) }) {
                result += Array("null".utf8)
                index += word.count
            } else {
                result.append(byte)
                index += 1
            }
        }
        return result
    }
}
