internal import ProxydHTTPModel

/// Frames that are written.
extension HTTP2Connection {
    mutating func writeSettings() {
        let announced = options.settings.announced
        FrameHeader(length: 6 &* announced.count, type: .settings).write(into: &output)
        for setting in announced {
            let number = setting.identifier.rawValue
            output.append(UInt8(truncatingIfNeeded: number &>> 8))
            output.append(UInt8(truncatingIfNeeded: number))
            output.appendBigEndian(setting.value)
        }
    }

    mutating func writeSettingsAcknowledgement() {
        FrameHeader(length: 0, type: .settings, flags: .acknowledgement).write(into: &output)
    }

    mutating func writePing(_ octets: [UInt8], isAcknowledgement: Bool) {
        FrameHeader(length: 8, type: .ping, flags: isAcknowledgement ? .acknowledgement : [])
            .write(into: &output)
        output.append(contentsOf: octets)
    }

    mutating func writeGoAway(last: UInt32, _ code: HTTP2ErrorCode, _ message: String) {
        FrameHeader(length: 8 &+ message.utf8.count, type: .goAway).write(into: &output)
        output.appendBigEndian(last)
        output.appendBigEndian(code.rawValue)
        output.append(contentsOf: message.utf8)
    }

    mutating func writeReset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        FrameHeader(length: 4, type: .resetStream, stream: id.rawValue).write(into: &output)
        output.appendBigEndian(code.rawValue)
    }

    mutating func writeWindowUpdate(_ stream: UInt32, by count: Int) {
        FrameHeader(length: 4, type: .windowUpdate, stream: stream).write(into: &output)
        output.appendBigEndian(UInt32(clamping: count))
    }

    /// Writes a field section: HEADERS, and CONTINUATION where the peer's frames are too small.
    mutating func writeBlock(_ block: [UInt8], on id: StreamID, endsStream: Bool) {
        let most = frameByteCountMax
        var start = 0
        repeat {
            let count = min(most, block.count &- start)
            var flags: FrameFlags = start &+ count == block.count ? .endHeaders : []
            if start == 0, endsStream { flags.insert(.endStream) }
            FrameHeader(
                length: count, type: start == 0 ? .headers : .continuation, flags: flags,
                stream: id.rawValue
            ).write(into: &output)
            output.append(contentsOf: block[start..<(start &+ count)])
            start &+= count
        } while start < block.count
    }

    /// The largest payload that we send: a turn of DATA is not longer.
    var frameByteCountMax: Int { min(Int(peerSettings.frameByteCountMax), 16_384) }
}
