internal import ProxydContentCoding
internal import ProxydHTTPWire

/// Removes the content codings and the Base64 of a body while it is streamed. Memory use does not
/// grow with the decoded size, because the result is passed on piece by piece.
struct BodyUncoding {
    /// The maximum number of decoded bytes for one piece of the body, in addition to `ratioMax` for
    /// each of its bytes. This limits the time that a decompression bomb takes on the loop.
    private static let slackByteCount = 1 << 20
    private static let ratioMax = 200

    private enum Coding {
        case none
        case some(ContentDecoder)
        case refused(ContentCodingError)
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
            coding = .refused(error)
        }
    }

    /// Decodes the next bytes of the body and passes the result to `take`; returns what went wrong,
    /// or nil.
    mutating func receive(_ bytes: Span<UInt8>, _ take: (Span<UInt8>) -> Void) -> String? {
        switch coding {
        case .none: return receive(uncoded: bytes, take)
        case .refused(let error): return error.description
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

    /// Passes on what was held back until it was clear whether the body is coded; returns what is
    /// wrong with the body if it ends here, or nil.
    mutating func finish(_ take: (Span<UInt8>) -> Void) -> String? {
        var problem: String?
        if case .some(let decoder) = coding {
            do throws(ContentCodingError) {
                try decoder.finish { (piece) throws(ContentCodingError) in
                    problem = problem ?? receive(uncoded: piece, take)
                }
            } catch {
                return error.description
            }
        }
        return problem ?? (base64?.isAtEndOfGroup == false ? "the base64 of the body is cut" : nil)
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
