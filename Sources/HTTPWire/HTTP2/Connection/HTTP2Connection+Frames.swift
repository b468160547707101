internal import ProxydHTTPModel

/// Handling of frames that concern the connection or the state of a stream.
extension HTTP2Connection {
    /// The maximum number of the peer's settings that are remembered as received; later ones are
    /// not.
    private static let settingCountMax = 64
    /// A client that resets a request this long after sending it, in nanoseconds, has waited for
    /// the response: deadlines pass, and people leave pages.
    private static let hastyResetNs: Int64 = 1_000_000_000

    mutating func takeSettings(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard frame.stream == 0 else { throw HTTP2Error(.protocolError, "SETTINGS is on a stream") }
        if frame.flags.contains(.acknowledgement) {
            guard payload.count == 0 else {
                throw HTTP2Error(.frameSizeError, "an acknowledgement of SETTINGS is not empty")
            }
            if unacknowledgedSettingsCount == 0 { try budget.spend(now: now) }
            unacknowledgedSettingsCount = max(0, unacknowledgedSettingsCount &- 1)
            return nil
        }
        guard payload.count.isMultiple(of: HTTP2Settings.settingByteCount) else {
            throw HTTP2Error(.frameSizeError, "SETTINGS has an incomplete setting")
        }
        if hasPeerSettings { try budget.spend(now: now) }
        var settings = peerSettings
        for index in stride(from: 0, to: payload.count, by: HTTP2Settings.settingByteCount) {
            let number = UInt16(payload[index]) &<< 8 | UInt16(payload[index &+ 1])
            let value = payload.bigEndian(at: index &+ 2)
            try settings.set(number, to: value)
            if announcedByPeer.count < HTTP2Connection.settingCountMax {
                announcedByPeer.append(.init(number: number, value: value))
            }
        }
        try apply(settings)
        writeSettingsAcknowledgement()
        return .settings(settings)
    }

    private mutating func apply(_ settings: HTTP2Settings) throws(HTTP2Error) {
        let difference =
            Int(settings.initialWindowByteCount) &- Int(peerSettings.initialWindowByteCount)
        sink.encoder.setPeerTableByteCountMax(Int(settings.headerTableByteCount))
        peerSettings = settings
        hasPeerSettings = true
        guard difference != 0 else { return }
        for stream in streams.open {
            stream.sendWindow &+= difference
            guard stream.sendWindow <= HTTP2Settings.windowByteCountMax else {
                throw HTTP2Error(.flowControlError, "SETTINGS make a window larger than 2³¹−1")
            }
            queueIfSendable(stream)
        }
    }

    mutating func takePing(_ payload: Span<UInt8>, now: Int64) throws(HTTP2Error) -> HTTP2Event? {
        guard frame.stream == 0 else { throw HTTP2Error(.protocolError, "PING is on a stream") }
        guard payload.count == 8 else {
            throw HTTP2Error(.frameSizeError, "PING does not have eight bytes")
        }
        let bytes = payload.array
        try budget.takePing(now: now)
        if !frame.flags.contains(.acknowledgement) {
            writePing(bytes, isAcknowledgement: true)
        } else if drain == .announced, bytes == HTTP2Connection.drainPing {
            finishDrain()
        }
        return nil
    }

    mutating func takeGoAway(_ payload: Span<UInt8>, now: Int64) throws(HTTP2Error) -> HTTP2Event? {
        guard frame.stream == 0 else { throw HTTP2Error(.protocolError, "GOAWAY is on a stream") }
        guard payload.count >= 8 else {
            throw HTTP2Error(.frameSizeError, "GOAWAY has less than eight bytes")
        }
        if goAwayLast != nil { try budget.spend(now: now) }
        let last = payload.bigEndian(at: 0) & 0x7FFF_FFFF
        let code = HTTP2ErrorCode(rawValue: payload.bigEndian(at: 4))
        let before = goAwayLast ?? .max
        goAwayLast = min(last, before)
        let isOwn: (StreamID) -> Bool = { [role] in ($0.rawValue & 1 == 1) == (role == .client) }
        for stream in streams.open where isOwn(stream.id) && stream.id.rawValue > last {
            close(stream, .resetByPeer)
            following.append(.unprocessed(stream.id, code))
        }
        let debug = payload.extracting(8..<payload.count).withUnsafeBufferPointer {
            Array($0.prefix(1_024))
        }
        return .goAway(last: last, code, debug: debug)
    }

    mutating func takeReset(_ payload: Span<UInt8>, now: Int64) throws(HTTP2Error) -> HTTP2Event? {
        let id = try streamID(frame)
        guard payload.count == 4 else {
            throw HTTP2Error(.frameSizeError, "RST_STREAM does not have four bytes")
        }
        guard isKnown(id) else { throw HTTP2Error(.protocolError, "RST_STREAM on an idle stream") }
        guard let stream = streams.find(id) else {
            if !streams.takeLate(payload.count, on: id) { try budget.spend(now: now) }
            return nil
        }
        if isHasty(stream, now: now) { try budget.spend(now: now) }
        let code = HTTP2ErrorCode(rawValue: payload.bigEndian(at: 0))
        let isPassedOver = stream.isPassedOver && role == .client
        let isUnprocessed = role == .client && code == .refusedStream && stream.receiving == .head
        close(stream, .resetByPeer)
        if isPassedOver { return nil }
        return isUnprocessed ? .unprocessed(id, code) : .reset(id, code, isOurs: false)
    }

    /// Whether a reset undoes work that its request has just caused. A server can only reset
    /// requests that we have sent.
    private func isHasty(_ stream: HTTP2Stream, now: Int64) -> Bool {
        role == .server && stream.sending == .head
            && now &- stream.openedAt < HTTP2Connection.hastyResetNs
    }

    mutating func takeWindowUpdate(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard payload.count == 4 else {
            throw HTTP2Error(.frameSizeError, "WINDOW_UPDATE does not have four bytes")
        }
        let count = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard frame.stream > 0 else {
            try budget.takeUpdate(count, streamIsOpen: true, now: now)
            guard count > 0 else {
                throw HTTP2Error(.protocolError, "WINDOW_UPDATE has an increment of zero")
            }
            sendWindow &+= count
            guard sendWindow <= HTTP2Settings.windowByteCountMax else {
                throw HTTP2Error(.flowControlError, "the connection's window is over 2³¹−1")
            }
            return nil
        }
        let id = try streamID(frame)
        guard isKnown(id) else {
            throw HTTP2Error(.protocolError, "WINDOW_UPDATE on an idle stream")
        }
        let stream = streams.find(id)
        try budget.takeUpdate(count, streamIsOpen: stream != nil, now: now)
        guard let stream else { return nil }
        guard count > 0 else {
            try breakStream(stream, .protocolError, now: now)
            return nil
        }
        stream.sendWindow &+= count
        if stream.sendWindow > HTTP2Settings.windowByteCountMax {
            try breakStream(stream, .flowControlError, now: now)
        } else {
            queueIfSendable(stream)
        }
        return nil
    }

    mutating func takePriority(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        let id = try streamID(frame)
        try budget.spend(now: now)
        if payload.count != 5 {
            try breakIdle(id, .frameSizeError, "PRIORITY does not have five bytes", now: now)
        } else if payload.bigEndian(at: 0) & 0x7FFF_FFFF == id.rawValue {
            try breakIdle(id, .protocolError, "a stream depends on itself", now: now)
        }
        return nil
    }

    /// Resets a stream that may not be open. If it is idle, this ends the connection.
    private mutating func breakIdle(
        _ id: StreamID, _ code: HTTP2ErrorCode, _ message: String, now: Int64
    ) throws(HTTP2Error) {
        guard isKnown(id) else { throw HTTP2Error(code, message) }
        if let stream = streams.find(id) { try breakStream(stream, code, now: now) }
    }

    mutating func takePriorityUpdate(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard role == .server, frame.stream == 0 else {
            throw HTTP2Error(
                .protocolError, "PRIORITY_UPDATE is not from a client, or is on a stream")
        }
        guard payload.count >= 4 else {
            throw HTTP2Error(.frameSizeError, "PRIORITY_UPDATE has less than four bytes")
        }
        let id = StreamID(rawValue: payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard id.rawValue & 1 == 1 else {
            throw HTTP2Error(.protocolError, "PRIORITY_UPDATE does not refer to a request")
        }
        try budget.spend(now: now)
        guard streams.find(id) != nil else { return nil }
        let value = payload.extracting(4..<payload.count).array
        return .priorityUpdate(id, value)
    }
}
