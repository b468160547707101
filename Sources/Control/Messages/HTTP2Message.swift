internal import FoundationEssentials
internal import ProxydHTTPModel

/// `HTTP2Facts` in the format of the control socket.
struct HTTP2Message: Sendable, Hashable, Codable {
    var clientStream: UInt32?
    var serverStream: UInt32?
    var serverVersion: [UInt8]?
    var reset: Reset?

    struct Reset: Sendable, Hashable, Codable {
        var side: String
        var isOurs: Bool
        var code: UInt32
    }

    init(_ facts: HTTP2Facts) {
        clientStream = facts.clientStream?.rawValue
        serverStream = facts.serverStream?.rawValue
        serverVersion = facts.serverVersion.map { [$0.major, $0.minor] }
        reset = facts.reset.map {
            Reset(side: $0.side.rawValue, isOurs: $0.isOurs, code: $0.code.rawValue)
        }
    }

    func facts() throws(ControlError) -> HTTP2Facts {
        var facts = HTTP2Facts()
        facts.clientStream = clientStream.map(StreamID.init(rawValue:))
        facts.serverStream = serverStream.map(StreamID.init(rawValue:))
        if let serverVersion {
            guard serverVersion.count == 2, serverVersion.allSatisfy({ $0 <= 9 }) else {
                throw ControlError(.badMessage, "an imported exchange has no valid version")
            }
            facts.serverVersion = HTTPVersion(major: serverVersion[0], minor: serverVersion[1])
        }
        if let reset {
            guard let side = ConnectionRecord.Side(rawValue: reset.side) else {
                throw ControlError(.badMessage, "an imported reset has no valid side")
            }
            facts.reset = HTTP2Facts.Reset(
                side: side, isOurs: reset.isOurs, code: HTTP2ErrorCode(rawValue: reset.code))
        }
        return facts
    }
}

/// `HTTP2ConnectionFacts` in the format of the control socket; a setting is its number and its
/// value.
struct HTTP2ConnectionMessage: Sendable, Hashable, Codable {
    var ourSettings: [[UInt32]]
    var peerSettings: [[UInt32]]
    var frames: Data

    init(_ facts: HTTP2ConnectionFacts) {
        ourSettings = facts.ourSettings.map { [UInt32($0.number), $0.value] }
        peerSettings = facts.peerSettings.map { [UInt32($0.number), $0.value] }
        frames = Data(facts.frames)
    }

    func facts() throws(ControlError) -> HTTP2ConnectionFacts {
        HTTP2ConnectionFacts(
            ourSettings: try HTTP2ConnectionMessage.settings(ourSettings),
            peerSettings: try HTTP2ConnectionMessage.settings(peerSettings),
            frames: [UInt8](frames))
    }

    private static func settings(
        _ pairs: [[UInt32]]
    ) throws(ControlError) -> [HTTP2ConnectionFacts.Setting] {
        var settings: [HTTP2ConnectionFacts.Setting] = []
        for pair in pairs {
            guard pair.count == 2, let number = UInt16(exactly: pair[0]) else {
                throw ControlError(.badMessage, "an imported setting is not a number and a value")
            }
            settings.append(.init(number: number, value: pair[1]))
        }
        return settings
    }
}
