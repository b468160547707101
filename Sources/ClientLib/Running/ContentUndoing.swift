internal import ProxydContentCoding
internal import ProxydHTTPModel

/// Decodes the content codings of one response as its bytes arrive; passes the bytes on unchanged
/// if there are none.
struct ContentUndoing {
    private let decoder: ContentDecoder?

    /// - Throws: `.decodingFailed` for a coding that was not requested.
    init(
        of head: ResponseHead, isWanted: Bool, limits: DecodingLimits
    ) throws(ClientError) {
        guard isWanted, head.fields.first(.contentEncoding) != nil else {
            decoder = nil
            return
        }
        let value = head.fields.values(named: "Content-Encoding").joined(separator: ",")
        do throws(ContentCodingError) {
            let codings = try Coding.list(value)
            decoder = codings.isEmpty ? nil : try ContentDecoder(codings, limits: limits)
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }

    /// Whether bytes are passed on unchanged.
    var isIdentity: Bool { decoder == nil }

    /// The decoded content of the next bytes.
    func content(of bytes: [UInt8]) throws(ClientError) -> [UInt8] {
        guard let decoder else { return bytes }
        var content: [UInt8] = []
        do throws(ContentCodingError) {
            try decoder.decode(bytes.span, into: &content)
        } catch {
            throw ClientError(.decodingFailed(error))
        }
        return content
    }

    /// Ends the decoding at the end of the body.
    func finish() throws(ClientError) {
        do throws(ContentCodingError) {
            try decoder?.finish()
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }
}
