internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import WireSupport

/// One final response at the beginning of what a client got, with the interim ones before it.
struct Answer {
    /// Bytes that it takes, the interim responses' included.
    private(set) var byteCount = 0
    /// Whether it came to its end.
    private(set) var isWhole = false
    /// Whether only the end of the connection ends it.
    private(set) var endsWithConnection = false
    /// Whether other bytes than HTTP's follow.
    private(set) var opensTunnel = false

    /// Nil where no final head has come whole, unless whole interim responses are all there is:
    /// whoever is gone by then gets no final one.
    init?(_ bytes: ArraySlice<UInt8>, to method: HTTPMethod, isClosed: Bool) {
        let input = Array(bytes)
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: method)
        var hasHead = false
        var interimByteCount = 0
        do throws(WireError) {
            while !isWhole, !opensTunnel {
                let part = try decoder.decode(input.span, from: &byteCount)
                switch part {
                case .needsMoreInput:
                    if !hasHead, interimByteCount == 0 || interimByteCount < input.count {
                        return nil
                    }
                    byteCount = input.count
                    if isClosed, endsWithConnection { isWhole = true }
                    return
                case .informational(let head):
                    Answer.check(head)
                    interimByteCount = byteCount
                case .head(let head, let length):
                    Answer.check(head)
                    hasHead = true
                    endsWithConnection = length == .untilClose
                    opensTunnel =
                        head.status == 101 || (method == .connect && head.status / 100 == 2)
                    if opensTunnel { isWhole = true }
                case .body: break
                case .trailers(let fields): FieldChecks.checkWellFormed(fields)
                case .end: isWhole = true
                }
            }
        } catch {
            require(false, "what the client gets is no response: \(error)")
        }
    }

    private static func check(_ head: ResponseHead) {
        FieldChecks.checkWellFormed(head.fields)
        require(!head.wasRepaired, "what the client gets needs repair")
        require(head.version == .http11, "the client is answered in another version")
    }
}
