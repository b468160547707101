internal import ProxydEventLoops
internal import Glibc

/// All connections of a control server. Loop-confined.
final class ControlSessions {
    private let handler: any ControlHandler
    private var listener: Listener?
    private var lastID = ControlClientID(rawValue: 0)
    private var open: [ObjectIdentifier: ControlSession] = [:]

    init(socket: ListeningSocket, loop: EventLoop, handler: any ControlHandler) {
        self.handler = handler
        let listener = Listener(socket: socket, on: loop) { [weak self] in self?.accept($0) }
        self.listener = listener
        listener.start()
    }

    /// Sends an event to all subscribers; it is written as JSON once per subscription number.
    func publish(_ event: ControlEvent, to subscription: (ControlSession) -> Int64?) {
        var lines: [Int64: [UInt8]] = [:]
        for session in open.values {
            guard let id = subscription(session) else { continue }
            if lines[id] == nil {
                lines[id] = try? ControlCoding.line(ControlReply(id: id, event: event))
            }
            if let line = lines[id] { session.sendEvent(line) }
        }
    }

    func stop() {
        listener?.stop()
        listener = nil
        for session in open.values { session.close() }
        open = [:]
    }

    private func accept(_ stream: SocketStream) {
        lastID = ControlClientID(rawValue: lastID.rawValue + 1)
        let session = ControlSession(stream, as: lastID, handler: handler) { [weak self] in
            self?.open[ObjectIdentifier($0)] = nil
        }
        guard let peer = stream.peerCredentials,
            ControlPermission.mayControl(user: peer.userID, daemonUser: geteuid())
        else {
            return session.refuse(
                ControlError(.notPermitted, "this daemon belongs to another user"))
        }
        guard open.count < ControlLimits.connectionCountMax else {
            return session.refuse(ControlError(.failed, "too many control connections"))
        }
        open[ObjectIdentifier(session)] = session
        stream.delegate = session
    }
}
