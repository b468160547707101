// The code of the page on WebSockets and streams; `SnippetRunTests` runs it.
import ClientLib

enum StreamSnippets {
    private struct User: Codable, Sendable { let name: String }

    static func talk(_ session: Session) async throws {
        let socket = session.webSocketRequest("wss://api.test/room", protocols: ["chat"])
        try await socket.send("hello")
        for try await message in socket.messages {
            switch message {
            case .string(let text): print(text)
            case .data(let bytes): print(bytes.count, "bytes")
            }
            if message == .string("bye") { try await socket.close() }
        }
    }

    static func events(_ session: Session) async throws {
        var configuration = WebSocketRequest.Configuration.pingInterval(.seconds(30))
        configuration.maximumMessageSize = 4 << 20
        configuration.offersCompression = false
        let socket = session.webSocketRequest("wss://api.test/users", configuration: configuration)
        try await socket.send(User(name: "Ada"))
        for await event in socket.events(of: User.self) {
            switch event.kind {
            case .connected(let name): print("open", name ?? "without a subprotocol")
            case .receivedMessage(let user): print(user.name)
            case .serializerFailed(let error): print(error.message)
            case .disconnected(let code, let reason): print(code.rawValue, reason)
            case .completed(let completion): print(completion.error?.message ?? "no error")
            }
        }
    }

    static func news(_ session: Session) async throws {
        for try await event in session.eventSource("https://api.test/news") {
            print(event.event, event.data)
        }
    }

    static func call(_ session: Session, _ message: [UInt8]) async throws {
        let call = session.rpc(
            "https://api.test/greet.Greeter/Hello", message: message, timeout: .seconds(5))
        for try await answer in call.responses { print(answer) }
        print(call.status?.code.name ?? "no status")
    }

    static func replay(
        _ session: Session, _ exchange: Exchange, _ messages: [MessageRecord]
    ) async throws {
        var plan = ConversationPlan()
        plan.pacing = .answers
        let replay = ConversationReplay(session, of: exchange, plan: plan)
        let result = try await replay.run(ConversationList(messages)) { direction, message in
            print(direction == .toServer ? "sent" : "got", message.byteCount)
        }
        print(result.replay.sentCount, result.isMismatch)
    }
}
