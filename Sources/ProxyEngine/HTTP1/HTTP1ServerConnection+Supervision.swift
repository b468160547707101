internal import ProxydHTTPWire

/// Deadlines, and the end of the proxy.
extension HTTP1ServerConnection {
    var deadline: Int64 {
        switch state {
        case .receiving(let machine), .responding(let machine): machine.deadline
        case .admitting: .max
        case .waiting, .refusing, .handedOver, .closing: ownDeadline
        }
    }

    var idleSince: Int64? {
        if case .waiting = state, decoder.isIdle, held.isEmpty { waitingSince } else { nil }
    }

    func deadlinePassed(now: Int64) {
        switch state {
        case .waiting:
            guard !decoder.isIdle else { return close() }
            answerUnread(.requestTimeout, failure: .headTimedOut)
        case .receiving(let machine), .responding(let machine): machine.deadlinePassed()
        case .refusing(let refused): finish(refused, keepsAlive: false)
        case .admitting, .handedOver, .closing: ownDeadline = .max
        }
    }

    func drain() {
        isDraining = true
        if idleSince != nil { close() }
    }

    func terminate(_ reason: TerminationReason) {
        // Any answer still sent is the last one on this connection.
        isDraining = true
        switch state {
        case .waiting: close()
        case .receiving(let machine), .responding(let machine): machine.terminate(reason)
        case .admitting, .refusing:
            recordUnserved(.terminated(reason))
            close()
        case .handedOver, .closing: break
        }
    }
}
