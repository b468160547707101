internal import ProxydContentCoding
internal import ProxydHTTPModel

/// Whether two response bodies say the same.
public enum BodyVerdict: String, Sendable, Hashable, CaseIterable {
    /// The same bytes once content codings are undone.
    case same
    /// Other bytes.
    case different
    /// No one can say: one of them was not kept whole, or a coding could not be undone.
    case unknown
}

/// Compares a body that is coming with one that was captured, piece by piece, content codings
/// undone on both sides: neither is ever decoded whole.
struct BodyComparison {
    private static let pieceByteCount = 64 << 10

    private let original: [UInt8]
    private var position = 0
    private let originalCoding: ContentDecoder?
    private let coding: ContentDecoder?
    /// Bytes of the original that are decoded and not compared yet.
    private var ahead: [UInt8] = []
    private var verdict: BodyVerdict?

    /// Compares the body behind `head` with that of an original response.
    init(_ original: Response, with head: ResponseHead) {
        self.original = original.body.kept
        var decoders: (ContentDecoder?, ContentDecoder?) = (nil, nil)
        do throws(ContentCodingError) {
            decoders = (
                try BodyComparison.decoder(original.head), try BodyComparison.decoder(head)
            )
        } catch {
            verdict = .unknown
        }
        (originalCoding, coding) = decoders
        if original.body.isTruncated { verdict = .unknown }
    }

    /// Compares the next bytes, as they came.
    mutating func take(_ bytes: [UInt8]) {
        guard verdict == nil else { return }
        do throws(ContentCodingError) {
            compare(try BodyComparison.decoded(bytes, coding))
        } catch {
            verdict = .unknown
        }
    }

    /// The verdict, once all bytes came.
    mutating func finish() -> BodyVerdict {
        if let verdict { return verdict }
        do throws(ContentCodingError) {
            var rest: [UInt8] = []
            try coding?.finish(into: &rest)
            compare(rest)
            if ahead.isEmpty { try readAhead(atLeast: 1) }
        } catch {
            return .unknown
        }
        return verdict ?? (ahead.isEmpty ? .same : .different)
    }

    private mutating func compare(_ bytes: [UInt8]) {
        do throws(ContentCodingError) {
            try readAhead(atLeast: bytes.count)
        } catch {
            verdict = .unknown
            return
        }
        if ahead.starts(with: bytes) {
            ahead.removeFirst(bytes.count)
        } else {
            verdict = .different
        }
    }

    private mutating func readAhead(atLeast byteCount: Int) throws(ContentCodingError) {
        while ahead.count < byteCount, position < original.count {
            let end = min(original.count, position + BodyComparison.pieceByteCount)
            ahead += try BodyComparison.decoded(Array(original[position..<end]), originalCoding)
            position = end
            if end == original.count { try originalCoding?.finish(into: &ahead) }
        }
    }

    private static func decoder(
        _ head: ResponseHead
    ) throws(ContentCodingError) -> ContentDecoder? {
        let codings = head.fields.values(named: "Content-Encoding")
        guard !codings.isEmpty else { return nil }
        return try ContentDecoder(contentEncoding: codings.joined(separator: ","))
    }

    private static func decoded(
        _ bytes: [UInt8], _ decoder: ContentDecoder?
    ) throws(ContentCodingError) -> [UInt8] {
        guard let decoder else { return bytes }
        var content: [UInt8] = []
        try decoder.decode(bytes.span, into: &content)
        return content
    }
}
