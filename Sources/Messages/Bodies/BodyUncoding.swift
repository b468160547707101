internal import ProxydContentCoding
internal import ProxydHTTPWire

/// Undoes the content-codings and the base64 of a body as it streams by. Memory does not grow with
/// what comes out: it is lent piece by piece.
struct BodyUncoding {
    /// The most bytes that come out of one piece of the body, beside `ratioMax` for each of its
    /// bytes: a bomb takes no longer than its worth on the loop.
    private static let slackByteCount = 1 << 20
    private static let ratioMax = 200

    private enum Coding {
        case none
        case some(ContentDecoder)
        case unknown(ContentCodingError)
    }

    private let coding: Coding
    private var base64: Base64Stream?

    init(contentEncoding: String, isBase64: Bool) {
        base64 = isBase64 ? Base64Stream() : nil
        guard !contentEncoding.isEmpty else {
            coding = .none
            return
        }
        do throws(ContentCodingError) {
            let limits = DecodingLimits(decodedByteCountMax: .max)
            coding = .some(try ContentDecoder(contentEncoding: contentEncoding, limits: limits))
        } catch {
            coding = .unknown(error)
        }
    }

    /// Takes the next bytes of the body and lends what they give; what went wrong, if anything did.
    mutating func receive(_ bytes: Span<UInt8>, _ take: (Span<UInt8>) -> Void) -> String? {
        switch coding {
        case .none: return receive(uncoded: bytes, take)
        case .unknown(let error): return error.description
        case .some(let decoder):
            var room = bytes.count &* BodyUncoding.ratioMax &+ BodyUncoding.slackByteCount
            var problem: String?
            do throws(ContentCodingError) {
                try decoder.decode(bytes) { (piece) throws(ContentCodingError) in
                    room &-= piece.count
                    if room < 0 { throw .overLimit(decodedByteCount: decoder.decodedByteCount) }
                    problem = problem ?? receive(uncoded: piece, take)
                }
            } catch {
                return error.description
            }
            return problem
        }
    }

    /// What is wrong with the body if it ends here.
    func problemAtEnd() -> String? {
        if let base64, !base64.isAtEndOfGroup { return "the base64 of the body is cut" }
        guard case .some(let decoder) = coding else { return nil }
        do throws(ContentCodingError) {
            try decoder.finish()
            return nil
        } catch {
            return error.description
        }
    }

    private mutating func receive(
        uncoded bytes: Span<UInt8>, _ take: (Span<UInt8>) -> Void
    ) -> String? {
        guard base64 != nil else {
            take(bytes)
            return nil
        }
        var decoded: [UInt8] = []
        base64?.decode(bytes, into: &decoded)
        take(decoded.span)
        return base64?.isInvalid == true ? "the body is not valid base64" : nil
    }
}
