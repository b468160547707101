public import ProxydHTTPModel

/// Receiving field sections: HEADERS and CONTINUATION (RFC 9113 §6.2, §6.10).
extension HTTP2Connection {
    /// A CONTINUATION frame that is shorter than this and not the last one costs a token.
    private static let usefulByteCount = 1_024

    mutating func takeHeaders(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        let id = try streamID(frame)
        var start = 0
        var padding = 0
        if frame.flags.contains(.padded) {
            guard payload.count > 0 else {
                throw HTTP2Error(.frameSizeError, "HEADERS has no padding length")
            }
            padding = Int(payload[0])
            start = 1
        }
        var dependency: UInt32?
        if frame.flags.contains(.priority) {
            guard payload.count >= start &+ 5 else {
                throw HTTP2Error(.frameSizeError, "HEADERS has no priority fields")
            }
            dependency = payload.bigEndian(at: start) & 0x7FFF_FFFF
            start &+= 5
        }
        guard start &+ padding <= payload.count else {
            throw HTTP2Error(.protocolError, "padding is longer than its frame")
        }
        let fragment = payload.extracting(start..<(payload.count &- padding))
        isSelfDependent = dependency == id.rawValue
        let endsStream = frame.flags.contains(.endStream)
        if frame.flags.contains(.endHeaders) {
            return try take(fragment, on: id, endsStream: endsStream, now: now)
        }
        block = OpenBlock(stream: id, endsStream: endsStream, bytes: fragment.array)
        return nil
    }

    mutating func takeContinuation(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard var open = block else {
            throw HTTP2Error(.protocolError, "CONTINUATION follows no HEADERS")
        }
        let isLast = frame.flags.contains(.endHeaders)
        if !isLast, payload.count < HTTP2Connection.usefulByteCount { try budget.spend(now: now) }
        block = nil
        payload.withUnsafeBufferPointer { open.bytes.append(contentsOf: $0) }
        guard open.bytes.count <= options.limits.headByteCountMax else { return try refuse(open) }
        guard isLast else {
            block = open
            return nil
        }
        return try take(open.bytes.span, on: open.stream, endsStream: open.endsStream, now: now)
    }

    /// Handles a complete field section. It is always decoded, whatever happens to it afterwards,
    /// so that the tables of both sides stay in sync (RFC 9113 §4.3).
    private mutating func take(
        _ fragment: Span<UInt8>, on id: StreamID, endsStream: Bool, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        var fields = emptySection
        do throws(HPACKError) {
            try decoder.decode(fragment, into: &fields)
        } catch {
            let failure = HTTP2Error(.compressionError, error.description)
            return try lose(id, fields, .badFieldBlock, blockByteCount: fragment.count, failure)
        }
        fields.end()
        if let stream = streams.find(id) {
            return try takeSection(fields, on: stream, endsStream: endsStream, now: now)
        }
        return try takeFirstSection(fields, on: id, endsStream: endsStream, now: now)
    }

    /// An empty section with the limits for a message's head.
    private var emptySection: FieldBlock {
        let role: MessageRole = role == .server ? .request : .response
        return FieldBlock(
            limits: FieldBlock.Limits(
                listByteCountMax: options.limits.headByteCountMax(role),
                lineCountMax: options.limits.fieldCountMax(role)))
    }

    // MARK: Sections that end the connection

    /// Refuses a field block that is too large. The part received is decoded as far as possible;
    /// the tables are no longer needed.
    private mutating func refuse(_ open: OpenBlock) throws(HTTP2Error) -> HTTP2Event {
        var fields = emptySection
        try? decoder.decode(open.bytes.span, into: &fields)
        return try lose(
            open.stream, fields, .headTooLarge, blockByteCount: open.bytes.count,
            HTTP2Error(.enhanceYourCalm, "a field section is too large"))
    }

    /// Reports what was received of a request's head before the connection ends because of it;
    /// other sections are not reported. The stream exists only for its frames.
    private mutating func lose(
        _ id: StreamID, _ fields: FieldBlock, _ kind: WireError.Kind, blockByteCount: Int,
        _ error: HTTP2Error
    ) throws(HTTP2Error) -> HTTP2Event {
        guard role == .server, id.rawValue & 1 == 1, id.rawValue > highestPeerStream,
            !isBeyondGoAway(id)
        else { throw error }
        let stream = HTTP2Stream(
            id: id, method: .get, sendWindow: 0, receiveWindow: 0, openedAt: now)
        stream.log = openLog
        openLog = nil
        streams.add(stream)
        phase = .failing(error)
        return .lostHead(
            id,
            MalformedMessage(
                lost: WireError(kind, in: .request), fields, blockByteCount: blockByteCount,
                reason: kind == .badFieldBlock ? error.message : nil))
    }

    // MARK: A new stream

    private mutating func takeFirstSection(
        _ fields: FieldBlock, on id: StreamID, endsStream: Bool, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard role == .server else {
            guard isKnown(id) else {
                throw HTTP2Error(.protocolError, "a response without a request")
            }
            if !streams.takeLate(fields.listByteCount, on: id) { try budget.spend(now: now) }
            return nil
        }
        guard id.rawValue & 1 == 1 else {
            throw HTTP2Error(.protocolError, "a client opened a stream with an even number")
        }
        guard id.rawValue > highestPeerStream else {
            return try takeSectionOfClosed(id, fields, now: now)
        }
        highestPeerStream = id.rawValue
        if isBeyondGoAway(id) { return nil }
        if streams.open.count >= Int(options.settings.concurrentStreamCountMax ?? .max) {
            try budget.spend(now: now)
            writeReset(id, .refusedStream)
            streams.note(
                id, .resetByUs, lateByteCount: Int(options.settings.initialWindowByteCount))
            return nil
        }
        return try begin(id, fields, endsStream: endsStream, now: now)
    }

    private mutating func takeSectionOfClosed(
        _ id: StreamID, _ fields: FieldBlock, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        switch streams.closing(of: id) {
        case .resetByUs:
            if !streams.takeLate(fields.listByteCount, on: id) { try budget.spend(now: now) }
            return nil
        case .ended, .resetByPeer:
            throw HTTP2Error(.streamClosed, "HEADERS on a stream that is closed")
        case nil:
            throw HTTP2Error(.protocolError, "a stream's number is not above the previous one")
        }
    }

    private mutating func begin(
        _ id: StreamID, _ fields: FieldBlock, endsStream: Bool, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        let stream = HTTP2Stream(
            id: id, method: .get, sendWindow: Int(peerSettings.initialWindowByteCount),
            receiveWindow: Int(options.settings.initialWindowByteCount), openedAt: now)
        stream.log = openLog
        openLog = nil
        streams.add(stream)
        budget.streamOpened()
        if isSelfDependent {
            try breakStream(stream, .protocolError, now: now)
            following = []
            return nil
        }
        do throws(WireError) {
            let (head, length) = try HTTP2HeadRules.request(
                fields, endsStream: endsStream,
                allowsExtendedConnect: options.settings.allowsExtendedConnect)
            stream.method = head.method
            if case .exactly(let count) = length { stream.announcedByteCount = count }
            stream.receiving = .body
            if endsStream {
                receivingEnded(stream)
                following.append(.end(id))
            }
            return .request(id, head, length)
        } catch {
            let event = try breakMessage(stream, error.kind, fields: fields)
            stream.receiving = .body
            if endsStream { receivingEnded(stream) }
            return event
        }
    }

    // MARK: A stream that is open

    private mutating func takeSection(
        _ fields: FieldBlock, on stream: HTTP2Stream, endsStream: Bool, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        if isSelfDependent {
            try breakStream(stream, .protocolError, now: now)
            return nil
        }
        switch stream.receiving {
        case .ended:
            try breakStream(stream, .streamClosed, now: now)
            return nil
        case .head: return try takeResponse(fields, on: stream, endsStream: endsStream)
        case .body where stream.isTunnel:
            try breakStream(stream, .protocolError, now: now)
            return nil
        case .body: return try takeTrailers(fields, on: stream, endsStream: endsStream)
        }
    }

    private mutating func takeResponse(
        _ fields: FieldBlock, on stream: HTTP2Stream, endsStream: Bool
    ) throws(HTTP2Error) -> HTTP2Event? {
        do throws(WireError) {
            let head = try HTTP2HeadRules.response(fields)
            guard !head.isInformational else {
                stream.informationalCount &+= 1
                guard !endsStream else { throw WireError(.closedEarly, in: .response) }
                guard stream.informationalCount <= options.limits.informationalCountMax else {
                    throw WireError(.tooManyInformational, in: .response)
                }
                return .informational(stream.id, head)
            }
            let length = try HTTP2HeadRules.bodyLength(
                of: head, to: stream.method, endsStream: endsStream)
            if case .exactly(let count) = length { stream.announcedByteCount = count }
            if length == .none { stream.announcedByteCount = 0 }
            if Framing.isTunnel(status: head.status, to: stream.method) { stream.becomeTunnel() }
            stream.receiving = .body
            if endsStream {
                following.append(.end(stream.id))
                receivingEnded(stream)
            }
            return .response(stream.id, head, length)
        } catch {
            return try breakMessage(stream, error.kind, fields: fields)
        }
    }

    private mutating func takeTrailers(
        _ fields: FieldBlock, on stream: HTTP2Stream, endsStream: Bool
    ) throws(HTTP2Error) -> HTTP2Event? {
        if stream.isPassedOver {
            if endsStream { receivingEnded(stream) }
            return nil
        }
        do throws(WireError) {
            let role: MessageRole = role == .server ? .request : .response
            guard endsStream else { throw WireError(.badTrailers, in: role) }
            let trailers = try HTTP2HeadRules.trailers(fields, role: role)
            let announced = stream.announcedByteCount ?? stream.receivedByteCount
            guard announced == stream.receivedByteCount else {
                throw WireError(.lengthMismatch, in: role)
            }
            receivingEnded(stream)
            guard !trailers.isEmpty else { return .end(stream.id) }
            following.append(.end(stream.id))
            return .trailers(stream.id, trailers)
        } catch {
            let event = try breakMessage(stream, error.kind, fields: fields)
            if endsStream, stream.receiving != .ended { receivingEnded(stream) }
            return event
        }
    }
}

/// A malformed message, with what was received of the field section at fault.
public struct MalformedMessage: Sendable {
    /// The maximum size of the names and values in `fields`, in bytes. HPACK can expand a few
    /// hundred bytes to hundreds of kilobytes.
    public static let keptByteCountMax = 64 << 10

    /// The rule that the message violates.
    public let error: WireError
    /// The rule as text for the user, with the size received if that is more than `fields`
    /// contains.
    public let text: String
    /// The first fields in order, in the format of `FieldList`; the last one is truncated where it
    /// exceeds `keptByteCountMax`. Empty if no field is at fault.
    public let fields: [UInt8]
    /// The HPACK representation of each field.
    public let codings: [FieldCoding]
    /// Whether a head had been received before, so that trailers or the length of the body are at
    /// fault.
    public let isAfterHead: Bool

    /// Creates a message; `section` is the decoded field section, or nil if none is at fault.
    init(_ error: WireError, _ section: FieldBlock?, isAfterHead: Bool) {
        self.init(error, section, isAfterHead: isAfterHead) { kept in
            guard let section, section.byteCount > kept else { return "" }
            return ": \(section.allLineCount) fields with \(section.byteCount) bytes came, "
                + "the first \(kept) bytes were kept"
        }
    }

    /// Creates a message from a request's head whose field block was not decoded completely;
    /// `blockByteCount` bytes of it were received.
    init(lost error: WireError, _ section: FieldBlock, blockByteCount: Int, reason: String?) {
        self.init(error, section, isAfterHead: false) { kept in
            let more =
                section.byteCount > kept ? ", the first \(kept) bytes of its fields were kept" : ""
            return ": \(blockByteCount) bytes of its field block had come\(more)"
                + (reason.map { "; \($0)" } ?? "")
        }
    }

    private init(
        _ error: WireError, _ section: FieldBlock?, isAfterHead: Bool,
        extent: (_ keptByteCount: Int) -> String
    ) {
        let listed = section?.listed(byteCountMax: MalformedMessage.keptByteCountMax)
        self.error = error
        self.isAfterHead = isAfterHead
        fields = listed?.bytes ?? []
        codings = section?.lines.prefix(listed?.lineCount ?? 0).map(\.coding) ?? []
        text = error.message + extent(listed?.byteCount ?? 0)
    }
}
