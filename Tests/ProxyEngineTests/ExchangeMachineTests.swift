import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// The machine of an exchange, played without a loop, a socket or a clock.
struct ExchangeMachineTests {
    @Test func `without an interceptor, an exchange is forwarded in both directions and recorded`()
        throws
    {
        let play = try MachinePlay(.post, body: .exactly(4))
        play.clientSends("bo")
        play.clientSends("dy")
        play.machine.requestEnded()
        play.serverAnswers(body: .exactly(2))
        play.serverSends("ok")
        play.serverEnds()
        #expect(
            play.did() == [
                "server < POST", "server < bo", "server < dy", "server < end", "client < 200",
                "client < ok", "client < end",
            ])
        #expect(play.row?.state == .complete)
        #expect(play.row?.requestBody == Array("body".utf8))
        #expect(play.row?.responseBody == Array("ok".utf8))
    }

    @Test
    func `an interceptor makes one decision at a time, and nothing is sent until it decides`()
        throws
    {
        let play = try MachinePlay(.post, body: .exactly(4), isActedOn: true)
        play.clientSends("bo")
        #expect(play.did() == ["ask about the connection"])
        play.passes()
        #expect(play.did() == ["ask about the request, body coming"])
        play.passes(.whole(byteCountMax: 10))
        play.clientSends("dy")
        #expect(play.did() == [])
        play.machine.requestEnded()
        #expect(play.did() == ["ask about the request, body body"])
        play.passes()
        #expect(play.did() == ["server < POST", "server < body", "server < end"])
        play.serverAnswers(body: .exactly(2))
        #expect(play.did() == ["ask about the response, body coming"])
        play.passes(.whole(byteCountMax: 10))
        play.serverSends("ok")
        play.serverEnds()
        #expect(play.did() == ["ask about the response, body ok"])
        play.passes(.replaced(Array("no".utf8)))
        #expect(play.did() == ["client < 200", "client < no", "client < end"])
        #expect(play.row?.responseBodySent == Array("no".utf8))
    }

    @Test(arguments: [ExchangeHalf.request, .response])
    func `a body larger than an interceptor's limit is forwarded unchanged`(half: ExchangeHalf)
        throws
    {
        let play = try MachinePlay(.post, body: .exactly(4), isActedOn: true)
        play.passes()
        play.passes(half == .request ? .whole(byteCountMax: 3) : .stream)
        play.clientSends("body")
        if half == .request {
            #expect(play.did().last == "ask about the request, body too large")
            play.passes(.replaced([]))
            #expect(play.did() == ["server < POST", "server < body"])
            return
        }
        play.machine.requestEnded()
        play.serverAnswers(body: .exactly(4))
        play.passes(.whole(byteCountMax: 3))
        play.serverSends("back")
        #expect(play.did().last == "ask about the response, body too large")
        play.passes(.replaced([]))
        #expect(play.did() == ["client < 200", "client < back"])
    }

    @Test func `an interceptor's decision after the client has disconnected changes nothing`()
        throws
    {
        let play = try MachinePlay(isActedOn: true)
        play.machine.clientVanished()
        #expect(
            play.did() == [
                "ask about the connection", "withdraw the question", "cut the client short",
            ])
        play.passes()
        #expect(play.did() == [])
        #expect(play.row?.state == .failed)
    }

    @Test
    func `an interceptor's decision while the exchange is ending sends nothing to the server`()
        throws
    {
        let play = try MachinePlay(isActedOn: true)
        play.passes()
        play.decidesAtTheEnd { $0.passes() }
        _ = play.did()
        play.machine.clientVanished()
        #expect(play.did() == ["withdraw the question", "cut the client short"])
    }

    @Test(arguments: 0..<4)
    func `the client gets exactly the response that an interceptor supplies, whatever the phase`(
        questionCount: Int
    ) throws {
        let play = try MachinePlay(isActedOn: true)
        for _ in 0..<min(questionCount, 2) { play.passes() }
        if questionCount > 1 { play.serverAnswers(body: .exactly(2)) }
        if questionCount > 2 {
            play.passes(.whole(byteCountMax: 10))
            play.serverSends("ok")
            play.serverEnds()
        }
        _ = play.did()
        play.answers("mine")
        let dropped = questionCount == 2 ? ["cancel the server"] : []
        #expect(play.did() == dropped + ["client < 203", "client < mine", "client < end"])
        #expect(play.row?.state == .complete)
    }

    @Test func `if a server does not respond in time, the client gets a 504`() throws {
        let play = try MachinePlay()
        play.passes(seconds: 59)
        #expect(play.did() == ["server < GET", "server < end"])
        play.passes(seconds: 1)
        #expect(play.did() == ["cancel the server", "client < own 504"])
        #expect(play.row?.failure?.kind == .timedOut)
    }

    @Test func `if a server stops sending within a response, the client's response is cut off`()
        throws
    {
        let play = try MachinePlay()
        play.serverAnswers(body: .exactly(9))
        play.serverSends("half")
        play.passes(seconds: 10)
        #expect(
            play.did() == [
                "server < GET", "server < end", "client < 200", "client < half",
                "cancel the server", "cut the client short",
            ])
        #expect(play.row?.responseBody == Array("half".utf8))
    }

    @Test
    func `no timeout applies while an interceptor decides, unless the client has disconnected`()
        throws
    {
        let play = try MachinePlay(isActedOn: true)
        play.passes(seconds: 100_000)
        #expect(play.isAsking)
        play.machine.clientEnded()
        play.passes(seconds: 1)
        #expect(play.did().last == "cut the client short")
        #expect(play.row?.failure?.kind == .closedEarly)
    }

    @Test
    func `the proxy stops reading from the client or the server while the other side is slow`()
        throws
    {
        let play = try MachinePlay(.post, body: .chunked)
        play.serverIsCongested(true)
        play.clientSends("a")
        play.serverIsCongested(false)
        #expect(
            play.did() == ["server < POST", "server < a", "pause the client", "resume the client"])
        play.machine.requestEnded()
        play.serverAnswers(body: .chunked)
        play.clientIsCongested(true)
        play.serverSends("b")
        play.clientIsCongested(false)
        #expect(
            play.did() == [
                "server < end", "client < 200", "client < b", "pause the server",
                "resume the server",
            ])
    }

    @Test(arguments: [false, true])
    func `if the server is lost, the client gets a 502, or a truncated response if it has begun`(
        hasAnswered: Bool
    ) throws {
        let play = try MachinePlay(isHTTP2: true)
        if hasAnswered { play.serverAnswers(body: .exactly(9)) }
        _ = play.did()
        play.serverFails()
        #expect(play.did() == [hasAnswered ? "cut the client short" : "client < own 502"])
        #expect(play.row?.http2?.reset?.isOurs == (hasAnswered ? true : nil))
    }

    @Test func `a response that is withheld from the client is recorded as it was received`() throws
    {
        let play = try MachinePlay(isActedOn: true)
        play.passes()
        play.passes()
        play.serverAnswers(body: .exactly(2))
        play.serverSends("ok")
        play.machine.clientVanished()
        #expect(play.row?.isResponseWithheld == true)
        #expect(play.row?.responseBody == Array("ok".utf8))
    }
}
