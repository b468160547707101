public import ProxydHTTPModel

/// Decodes the messages in one direction of an HTTP/2 connection between others, from its start.
/// It takes no part in the connection: flow control, settings and the order of frames are not
/// checked, only what messages need.
public struct HTTP2MessageReader: Sendable {
    public enum Event: Sendable {
        /// All input was consumed.
        case needsMoreInput
        case request(StreamID, RequestHead, BodyLength)
        /// The head of a response, interim or not.
        case response(StreamID, ResponseHead)
        case body(StreamID, [UInt8])
        case trailers(StreamID, HeaderFields)
        case end(StreamID)
        /// The stream ended before the message was complete.
        case reset(StreamID)
        /// A head or trailers that are not valid.
        case malformed(StreamID, WireError)
    }

    /// The largest table that is expected of a peer, in bytes; browsers announce 64 KiB. A table
    /// larger than the sender's does no harm: the entries that it evicts are not referred to.
    private static let tableByteCountMax = 256 << 10
    private static let openStreamCountMax = 10_000

    private let sender: WebSocketSender
    private let limits: WireLimits
    private var prefaceLeft: ArraySlice<UInt8>
    private var frames = FrameReader()
    private var frame = FrameHeader(length: 0, type: .data)
    private var decoder = HPACKDecoder(tableByteCountMax: tableByteCountMax)
    private var block: [UInt8] = []
    private var blockStream = StreamID(rawValue: 0)
    private var blockEndsStream = false
    /// The streams whose head was received and whose end was not.
    private var open: Set<StreamID> = []
    private var following: [Event] = []

    /// Creates a reader for what a client or a server sends.
    public init(of sender: WebSocketSender, limits: WireLimits = WireLimits()) {
        self.sender = sender
        self.limits = limits
        prefaceLeft = sender == .client ? HTTP2Connection.clientPreface[...] : []
    }

    /// How many of the next bytes have no structure: the rest of a frame with bytes of a body, or
    /// with nothing that messages need.
    public var freeByteCount: Int { frames.streamedByteCountLeft }

    /// Returns the next event in `input` from `offset` on. After an error nothing more can be
    /// decoded.
    public mutating func next(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(HTTP2Error) -> Event {
        if !following.isEmpty { return following.removeFirst() }
        while let expected = prefaceLeft.first {
            guard offset < input.count else { return .needsMoreInput }
            guard input[offset] == expected else {
                throw HTTP2Error(.protocolError, "its start was not recorded")
            }
            prefaceLeft.removeFirst()
            offset &+= 1
        }
        while true {
            switch frames.next(input, from: &offset) {
            case .needsMoreInput: return .needsMoreInput
            case .header(let header): try begin(header)
            case .part(let range, let isLast):
                guard frame.type == .data else { continue }
                if let event = data(input.extracting(range), isLast: isLast) { return event }
            case .payload(let range):
                let event: Event?
                if let range {
                    event = try take(input.extracting(range))
                } else {
                    let collected = frames.takeCollected()
                    event = try take(collected.span)
                }
                if let event { return event }
            }
        }
    }

    private mutating func begin(_ header: FrameHeader) throws(HTTP2Error) {
        frame = header
        switch header.type {
        case .headers, .continuation, .resetStream, .pushPromise:
            guard header.length <= limits.headByteCountMax else {
                throw HTTP2Error(.enhanceYourCalm, "a field section is too large")
            }
            frames.collect(header)
        case .data where header.flags.contains(.padded):
            // Its padding is known only after its first byte.
            frames.collect(header)
        default: frames.stream(header)
        }
    }

    private mutating func data(_ bytes: Span<UInt8>, isLast: Bool) -> Event? {
        let id = StreamID(rawValue: frame.stream)
        guard open.contains(id) else { return nil }
        if isLast, frame.flags.contains(.endStream) {
            open.remove(id)
            if bytes.isEmpty { return .end(id) }
            following.append(.end(id))
        }
        return bytes.isEmpty ? nil : .body(id, bytes.array)
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(HTTP2Error) -> Event? {
        let id = StreamID(rawValue: frame.stream)
        switch frame.type {
        case .data: return data(bytes.extracting(try content(bytes)), isLast: true)
        case .resetStream: return open.remove(id) == nil ? nil : .reset(id)
        case .headers:
            let fragment = bytes.extracting(try content(bytes))
            block = fragment.array
            blockStream = id
            blockEndsStream = frame.flags.contains(.endStream)
            return frame.flags.contains(.endHeaders) ? try takeBlock() : nil
        case .continuation:
            guard id == blockStream, block.count + bytes.count <= limits.headByteCountMax else {
                throw HTTP2Error(.enhanceYourCalm, "a field section is too large")
            }
            bytes.withUnsafeBufferPointer { block.append(contentsOf: $0) }
            return frame.flags.contains(.endHeaders) ? try takeBlock() : nil
        case .pushPromise: throw HTTP2Error(.protocolError, "pushed responses are not read")
        default: return nil
        }
    }

    /// The payload without padding and priority.
    private func content(_ bytes: Span<UInt8>) throws(HTTP2Error) -> Range<Int> {
        var start = 0
        var padding = 0
        if frame.flags.contains(.padded) {
            guard bytes.count > 0 else { throw HTTP2Error(.frameSizeError, "no padding length") }
            padding = Int(bytes[0])
            start = 1
        }
        if frame.type == .headers, frame.flags.contains(.priority) { start &+= 5 }
        guard start &+ padding <= bytes.count else {
            throw HTTP2Error(.protocolError, "padding is longer than its frame")
        }
        return start..<(bytes.count &- padding)
    }

    private mutating func takeBlock() throws(HTTP2Error) -> Event? {
        let role: MessageRole = sender == .client ? .request : .response
        var fields = FieldBlock(
            limits: FieldBlock.Limits(
                listByteCountMax: limits.headByteCountMax(role),
                lineCountMax: limits.fieldCountMax(role)))
        do throws(HPACKError) {
            let block = block
            try decoder.decode(block.span, into: &fields)
        } catch {
            throw HTTP2Error(.compressionError, error.description)
        }
        fields.end()
        let id = blockStream
        do throws(WireError) {
            return try event(fields, id)
        } catch {
            open.remove(id)
            return .malformed(id, error)
        }
    }

    private mutating func event(_ fields: FieldBlock, _ id: StreamID) throws(WireError) -> Event {
        if blockEndsStream { following.append(.end(id)) }
        if open.contains(id) {
            let trailers = try HTTP2HeadRules.trailers(
                fields, role: sender == .client ? .request : .response)
            if blockEndsStream { open.remove(id) }
            return .trailers(id, trailers)
        }
        guard open.count < HTTP2MessageReader.openStreamCountMax else {
            throw WireError(.headTooLarge, in: .request)
        }
        guard sender == .server else {
            let (head, length) = try HTTP2HeadRules.request(
                fields, endsStream: blockEndsStream, allowsExtendedConnect: true)
            if !blockEndsStream { open.insert(id) }
            return .request(id, head, length)
        }
        let head = try HTTP2HeadRules.response(fields)
        if !blockEndsStream, !head.isInformational { open.insert(id) }
        return .response(id, head)
    }
}
