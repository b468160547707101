internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The end of HTTP on a connection (101, or the agreement to an extended CONNECT). An actor sees
/// its head like that of any response; what follows the head is not a body.
extension ExchangeRelay {
    /// Switches to the protocol that a response head agrees to.
    func switchProtocols(_ switched: SwitchedServer) {
        guard let held, let actor = held.actor else {
            return join(switched, ForwardedResponse(head: switched.head, body: .none))
        }
        response = .held
        switched.stream.pauseReading()
        held.switched = switched
        ask {
            actor.responseHead(ForwardedResponse(head: switched.head, body: .none), $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, .stream), .pass(let message, .edited): relay.goOn(message)
            case .pass(let message, .whole): relay.askAboutNoBody(of: message)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    /// Asks about the body, which is empty and therefore complete.
    private func askAboutNoBody(of message: ForwardedResponse) {
        guard let actor = held?.actor else { return }
        ask {
            actor.responseBody([], of: message, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, _): relay.goOn(message)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    private func goOn(_ message: ForwardedResponse) {
        guard let held, let switched = held.switched else { return }
        // Any other status does not agree to switch: it is an ordinary answer.
        guard message.head.status == switched.head.status else {
            return answer(
                ExchangeAnswer(head: message.head, isSecret: message.options.isSecret))
        }
        guard switched.stream.isOpen else {
            return giveUp(.serverClosed, answer: .badGateway(.serverClosed))
        }
        held.switched = nil
        if message.head != switched.head {
            recordSentHead(of: message, isSecret: message.options.isSecret)
        }
        join(switched, message)
    }

    private func join(_ switched: SwitchedServer, _ message: ForwardedResponse) {
        tap.setUpgrade(switched.name)
        response = .finished
        let pace = held?.actor?.pace
        held?.end()
        client.switchProtocols(
            message, joining: switched.stream, early: switched.early.span, tap: tap, pace: pace)
    }
}

/// A server's connection that uses another protocol from now on.
struct SwitchedServer {
    let stream: any DuplexStream
    /// The protocol, as the response head names it.
    let name: String
    /// The response head that agreed to switch.
    let head: ResponseHead
    /// The bytes that followed the head.
    let early: [UInt8]
}
