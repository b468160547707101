internal import ProxydContentCoding

/// Makes UTF-8 of what a file is wrapped in: gzip, UTF-16 with a byte order mark or without, and
/// the mark of UTF-8.
///
/// ```
/// bytes ─▶ (gzip) ─▶ (UTF-16) ─▶ UTF-8
/// ```
struct ImportUnpacker {
    /// Input is unpacked in slices of this size, so that what becomes of one fits into memory.
    private static let sliceByteCount = 4 << 10
    private static let limits = DecodingLimits(decodedByteCountMax: 16 << 30, ratioMax: 1_000)

    private enum Packing {
        /// The first byte, if it came alone.
        case unknown([UInt8])
        case none
        case gzip(ContentDecoder)
    }

    private var packing = Packing.unknown([])
    private var text = WideText()
    /// Why nothing more can be unpacked; nil if something can.
    private(set) var problem: String?

    /// Takes some of the bytes, and returns the text that they make.
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

    /// Returns what is left at the end of the file.
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
