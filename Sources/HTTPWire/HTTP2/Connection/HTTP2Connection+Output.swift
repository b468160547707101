internal import ProxydHTTPModel

/// Writing frames.
extension HTTP2Connection {
    /// Writes a frame and logs it. `value` is the increment of a WINDOW_UPDATE or the error code of
    /// a reset.
    mutating func write(
        _ header: FrameHeader, value: UInt64 = 0, in log: FrameLog?,
        payload: (inout [UInt8]) -> Void = { _ in }
    ) {
        let start = output.count
        header.write(into: &output)
        payload(&output)
        guard let log else { return }
        log.note(
            header, side: side, isSent: true, value: value,
            bytes: log.keepsBytes ? Array(output[start...]) : [], now: now)
    }

    /// The side of the proxy that this connection is on.
    var side: ConnectionRecord.Side { role == .server ? .client : .server }

    mutating func writeSettings(
        _ announced: [(identifier: HTTP2Settings.Identifier, value: UInt32)]
    ) {
        write(
            FrameHeader(
                length: HTTP2Settings.settingByteCount &* announced.count, type: .settings),
            in: connectionLog
        ) { output in
            for setting in announced {
                let number = setting.identifier.rawValue
                output.append(UInt8(truncatingIfNeeded: number &>> 8))
                output.append(UInt8(truncatingIfNeeded: number))
                output.appendBigEndian(setting.value)
            }
        }
    }

    mutating func writeSettingsAcknowledgement() {
        write(
            FrameHeader(length: 0, type: .settings, flags: .acknowledgement), in: connectionLog)
    }

    mutating func writePing(_ bytes: [UInt8], isAcknowledgement: Bool) {
        write(
            FrameHeader(
                length: 8, type: .ping, flags: isAcknowledgement ? .acknowledgement : []),
            in: connectionLog
        ) { $0.append(contentsOf: bytes) }
    }

    mutating func writeGoAway(last: UInt32, _ code: HTTP2ErrorCode, _ message: String) {
        write(
            FrameHeader(length: 8 &+ message.utf8.count, type: .goAway), in: connectionLog
        ) { output in
            output.appendBigEndian(last)
            output.appendBigEndian(code.rawValue)
            output.append(contentsOf: message.utf8)
        }
    }

    mutating func writeReset(_ id: StreamID, _ code: HTTP2ErrorCode, in log: FrameLog? = nil) {
        write(
            FrameHeader(length: 4, type: .resetStream, stream: id.rawValue),
            value: UInt64(code.rawValue), in: log
        ) { $0.appendBigEndian(code.rawValue) }
    }

    mutating func writeWindowUpdate(_ stream: UInt32, by count: Int, in log: FrameLog?) {
        let count = UInt32(clamping: count)
        write(
            FrameHeader(length: 4, type: .windowUpdate, stream: stream), value: UInt64(count),
            in: log
        ) { $0.appendBigEndian(count) }
    }

    /// Writes the field section in `sink`: a HEADERS frame, and CONTINUATION frames if the peer's
    /// maximum frame size requires them.
    mutating func writeBlock(on stream: HTTP2Stream, endsStream: Bool) {
        let block = sink.block
        let most = frameByteCountMax
        var start = 0
        repeat {
            let count = min(most, block.count &- start)
            var flags: FrameFlags = start &+ count == block.count ? .endHeaders : []
            if start == 0, endsStream { flags.insert(.endStream) }
            write(
                FrameHeader(
                    length: count, type: start == 0 ? .headers : .continuation, flags: flags,
                    stream: stream.id.rawValue), in: stream.log
            ) { $0.append(contentsOf: block[start..<(start &+ count)]) }
            start &+= count
        } while start < block.count
    }

    /// The maximum payload size of the frames sent, which also limits how much DATA a stream sends
    /// per turn.
    var frameByteCountMax: Int { min(Int(peerSettings.frameByteCountMax), 16_384) }
}
