internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Feeds a decoder and writes down what it says, checking that it keeps its promises.
public struct WireTranscript<Decoder: WireDecoder> {
    /// What was said, in order.
    public private(set) var events: [WireEvent<Decoder.Head>] = []
    private var decoder: Decoder
    private var leftByteCount = 0

    /// What a decoder says of pieces and of the end behind them.
    public init(_ decoder: Decoder, pieces: [[UInt8]]) {
        self.decoder = decoder
        self.decoder.prepareForNext()
        do throws(WireError) {
            for piece in pieces { try feed(piece) }
            try finish()
        } catch {
            events.append(.failed(error))
            _ = self.decoder.partialHead
        }
        if leftByteCount > 0 { events.append(.left(byteCount: leftByteCount)) }
    }

    private mutating func feed(_ piece: [UInt8]) throws(WireError) {
        var offset = 0
        // A byte ends at most a head, a trailer section and a message.
        for _ in 0...(3 * piece.count + 3) {
            let before = offset
            let decoded: Decoded<Decoder.Head>
            do throws(WireError) {
                decoded = try decoder.decode(piece.span, from: &offset)
            } catch {
                checkIsFinal(error)
                throw error
            }
            require((before...piece.count).contains(offset), "the offset goes out of the input")
            if case .needsMoreInput = decoded {
                require(offset == piece.count || decoder.leavesInput, "input is left over")
                leftByteCount += piece.count - offset
                return
            }
            note(decoded, of: piece, upTo: offset)
        }
        require(false, "the decoder never asks for more input")
    }

    private mutating func finish() throws(WireError) {
        // A head may end there without its empty line; its body follows, empty or ended.
        while true {
            let decoded = try decoder.finish()
            note(decoded, of: [], upTo: 0)
            guard case .head = decoded else { return }
        }
    }

    private mutating func checkIsFinal(_ error: WireError) {
        var offset = 0
        do throws(WireError) {
            _ = try decoder.decode([0x47].span, from: &offset)
            require(false, "an error is forgotten")
        } catch let again {
            require(again == error && offset == 0, "an error turns into another")
        }
    }

    private mutating func note(
        _ decoded: Decoded<Decoder.Head>, of piece: [UInt8], upTo offset: Int
    ) {
        switch decoded {
        case .needsMoreInput: break
        case .informational(let head): events.append(.informational(head))
        case .head(let head, let length): events.append(.head(head, length))
        case .body(let range):
            require(!range.isEmpty && range.upperBound == offset, "a body range is misplaced")
            addBody(piece[range])
        case .trailers(let fields):
            require(!fields.isEmpty, "empty trailers")
            events.append(.trailers(fields))
        case .end:
            events.append(.end)
            decoder.prepareForNext()
        }
    }

    private mutating func addBody(_ bytes: ArraySlice<UInt8>) {
        if case .body(let before)? = events.last {
            events.removeLast()
            events.append(.body(before + bytes))
        } else {
            events.append(.body(Array(bytes)))
        }
    }
}
