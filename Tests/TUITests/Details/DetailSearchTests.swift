import ProxydPresentation
import Foundation
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

/// Searching an exchange: heads and bodies of both messages.
@Suite struct `Searching an exchange` {
    private static let exchange = DetailSamples.exchange(
        1, .post, "/orders", [(name: "X-Trace", value: "Alpha-7")], "note=alpha",
        [(name: "Content-Type", value: "text/plain"), (name: "X-Beta", value: "ALPHA")],
        Array("first\nsecond alpha\nthird\n".utf8))

    private func searched(_ needle: String, _ before: Key...) -> DetailPlayer {
        let player = DetailPlayer([Self.exchange])
        for key in before { player.press(key) }
        player.type("/" + needle)
        player.press(.enter)
        return player
    }

    private func tab(_ player: DetailPlayer) -> DetailTab? { player.screenModel?.tab }

    @Test func `a search in an exchange visits heads and bodies of both messages and wraps around`()
    {
        let player = searched("alpha")
        var places: [String] = []
        for _ in 0..<5 {
            let notice = player.text.split(separator: "\n").dropLast().last ?? ""
            places.append("\(tab(player).map { $0.title } ?? "") \(notice)")
            player.type("n")
        }
        #expect(places[0].hasPrefix("Request the request's head"), "\(places)")
        #expect(places[1].hasPrefix("Request the request's body"), "\(places)")
        #expect(places[2].hasPrefix("Response the response's head"), "\(places)")
        #expect(places[3].hasPrefix("Response the response's body"), "\(places)")
        #expect(places[4].hasPrefix("Request the request's head"), "\(places)")
        #expect(places[4].contains("from the other end"))
    }

    @Test func `pressing N visits the matches in an exchange in reverse order`() {
        let player = searched("alpha")
        var tabs: [DetailTab?] = []
        for _ in 0..<4 {
            player.type("N")
            tabs.append(tab(player))
        }
        #expect(tabs == [.response, .response, .request, .request])
    }

    @Test func `a search in an exchange is case-sensitive only after Alt-c`() {
        #expect(tab(searched("ALPHA")) == .request)
        let player = DetailPlayer([Self.exchange])
        player.type("/ALPHA")
        player.press(.alt("c"))
        #expect(player.text.contains("match case"))
        player.press(.enter)
        #expect(tab(player) == .response)
    }

    @Test func `the search prompt in an exchange starts empty and says which parts are searched`() {
        let player = searched("alpha")
        player.type("/")
        #expect(player.text.contains("heads and bodies"))
        #expect(player.text.contains("case"))
        #expect(player.screenModel?.typing?.text == "")
        player.press(.escape)
        player.type("6/")
        #expect(player.text.contains("as received"))
    }

    @Test func `the Up key in an exchange's search prompt recalls the previous search`() {
        let player = searched("alpha")
        player.type("/")
        player.press(Key(.up))
        #expect(player.screenModel?.typing?.text == "alpha")
    }

    @Test func `a search in an exchange reports if neither heads nor bodies contain the text`() {
        #expect(searched("zebra").text.contains("“zebra” is not in any head or body"))
    }

    @Test func `a search on the Raw tab covers the head of the message as received`() {
        let player = searched("x-beta", Key("6"))
        #expect(tab(player) == .raw)
        #expect(player.text.contains("at byte"))
    }

    @Test(arguments: [
        ("body:second", DetailTab.response), ("body:NOTE= status=200", .request),
        (#"reqbody:"note=alpha" or host:x"#, .request), ("resbody:THIRD", .response),
    ])
    func `an exchange found by a body filter opens at the matching text`(
        _ filter: String, _ wanted: DetailTab
    ) throws {
        let exchanges = ScriptedExchanges([Self.exchange])
        let filter = try Filter.parse(filter, now: 0, timeZone: .utc)
        let player = DetailPlayer(
            [Self.exchange],
            first: DetailScreen(exchanges.row(Self.exchange), filter: filter))
        #expect(tab(player) == wanted)
        #expect(player.screenModel?.page.match != nil)
        player.type("n")
        #expect(!player.text.contains("searches"))
    }

    @Test func `opening an exchange found by a negated body filter does not jump to a match`()
        throws
    {
        let exchanges = ScriptedExchanges([Self.exchange])
        let filter = try Filter.parse("not body:second", now: 0, timeZone: .utc)
        let player = DetailPlayer(
            [Self.exchange],
            first: DetailScreen(exchanges.row(Self.exchange), filter: filter))
        #expect(tab(player) == .overview)
    }

    // MARK: Backwards from the cursor

    /// Opens the response, searches for a word and moves the cursor down, off the match.
    private func wentDown(
        from needle: String, _ exchange: Exchange = exchange, toViewerLine line: Int?
    ) throws -> DetailPlayer {
        let player = DetailPlayer([exchange])
        player.type("3/" + needle)
        player.press(.enter)
        try #require(player.screenModel?.page.match != nil)
        player.type("j")
        guard let line else { return player }
        // So often that each line before is passed.
        for _ in 0..<(player.screenModel?.page.lineCount ?? 0)
        where player.screenModel?.page.viewerLine != line { player.type("j") }
        try #require(player.screenModel?.page.viewerLine == line)
        return player
    }

    private func expectFoundAgain(_ player: DetailPlayer, _ match: SearchHit?) {
        player.type("N")
        #expect(player.screenModel?.page.match == match)
        #expect(!player.text.contains("from the other end"), "\(player.text)")
    }

    @Test func `a backward search from the first line of a body finds the match in the head`()
        throws
    {
        let player = try wentDown(from: "x-beta", toViewerLine: 0)
        expectFoundAgain(player, player.screenModel?.page.match)
    }

    @Test func `a backward search from below a match in the head finds that match`() throws {
        let player = try wentDown(from: "x-beta", toViewerLine: nil)
        expectFoundAgain(player, player.screenModel?.page.match)
    }

    @Test(arguments: [
        ("text/plain", "first\nsecond\nthird\n", "second"),
        ("application/json", "[7,8]", "["),
    ])
    func `a backward search from below a match in the body finds that match`(
        _ contentType: String, _ body: String, _ needle: String
    ) throws {
        let exchange = DetailSamples.answer(contentType, Array(body.utf8))
        let player = try wentDown(from: needle, exchange, toViewerLine: nil)
        expectFoundAgain(player, player.screenModel?.page.match)
    }

    @Test
    func `a backward search from a later line of a multipart part finds the match in that part`()
        throws
    {
        let body = "--B\r\nX-One: 1\r\n\r\nhello\r\n--B--\r\n"
        let exchange = DetailSamples.answer("multipart/mixed; boundary=B", Array(body.utf8))
        let player = try wentDown(from: "hello", exchange, toViewerLine: nil)
        expectFoundAgain(player, player.screenModel?.page.match)
    }

    @Test
    func `a backward search from a viewer line that maps to no byte finds the match in the head`()
        throws
    {
        let body = Array("--B\r\nno field\r\n--B--\r\n".utf8)
        let exchange = DetailSamples.answer("multipart/mixed; boundary=B", body)
        let player = try wentDown(from: "mixed", exchange, toViewerLine: 0)
        let page = try #require(player.screenModel?.page)
        #expect(page.viewer?.offset(ofLine: 0) == nil)
        expectFoundAgain(player, page.match)
    }

    @Test func `a new search also finds a match on the line of the cursor`() throws {
        let player = try wentDown(from: "second", toViewerLine: nil)
        player.type("/third")
        player.press(.enter)
        #expect(player.screenModel?.page.viewerLine == 2)
        #expect(!player.text.contains("from the other end"))
    }
}
