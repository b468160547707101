import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// Bodies that are edited by parts, laid out, or pasted as a curl command.
struct ComposePartsTests {
    private static let parts =
        "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nhello\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
        + "Content-Type: text/plain\r\n\r\none\ntwo\r\n--b--\r\n"

    private func player(_ type: String, _ body: String) -> ComposePlayer {
        let player = ComposePlayer([
            DetailSamples.exchange(
                1, .post, "/up", [(name: "Content-Type", value: type)], body, [], [])
        ])
        player.press(Key("e"))
        return player
    }

    private func multipart() -> ComposePlayer {
        let player = player("multipart/form-data; boundary=b", Self.parts)
        player.press(.backtab)
        return player
    }

    private func sentBody(_ player: ComposePlayer) -> String? {
        player.press(Key("s"))
        return player.server?.sent.first.map {
            String(decoding: $0.request.body.kept, as: UTF8.self)
        }
    }

    @Test
    func `editing one part of a multipart body in the composer leaves the other parts unchanged`() {
        let player = multipart()
        #expect(player.text.contains("Parts  2"))
        #expect(player.text.contains("title") && player.text.contains("= hello"))
        #expect(player.text.contains("a.txt · text/plain · 7 B"))
        player.press(.enter)
        player.type(" you")
        player.press(.enter)
        #expect(
            sentBody(player) == Self.parts.replacing("hello", with: "hello you"))
    }

    @Test
    func `parts of a multipart body can be renamed, added, moved and deleted in the composer`() {
        let player = multipart()
        player.press(Key(.left), .enter, .control("u"))
        player.type("name")
        player.press(.enter, Key("J"), Key("a"))
        player.type("more")
        player.press(.enter)
        player.type("1")
        player.press(.enter, Key("k"), Key("d"))
        let body = sentBody(player)
        #expect(body?.contains("name=\"file\"") == true, "\(body ?? "")")
        #expect(
            body?.hasSuffix(
                "two\r\n--b\r\nContent-Disposition: form-data; name=\"more\"\r\n\r\n1\r\n--b--\r\n")
                == true)
        #expect(body?.contains("hello") == false)
    }

    @Test
    func `a multi-line body part opens in the external editor and must not contain the boundary`() {
        let player = multipart()
        player.press(Key("j"), .enter)
        #expect(player.edited.last?.bytes == Array("one\ntwo".utf8))
        player.saveInEditor("three\nfour\n")
        #expect(player.text.contains("the part was changed"))
        player.press(Key("e"))
        player.saveInEditor("x\r\n--b\r\ny")
        #expect(player.text.contains("contains the multipart boundary"))
        #expect(sentBody(player) == Self.parts.replacing("one\ntwo", with: "three\nfour"))
    }

    @Test func `pressing p in the composer indents a JSON body, and pressing p again compacts it`()
    {
        let text = #"{"a":[1.0,{}],"b":"x y"}"#
        let player = player("application/json", text)
        player.press(Key("p"))
        #expect(player.text.contains("\"a\": ["))
        player.press(Key("p"))
        #expect(player.text.contains(text))
        player.press(Key("V"))
        #expect(sentBody(player) == text)
    }

    @Test func `in the composer, pressing p reports a body that is not valid JSON`() {
        let broken = player("application/json", "{\"a\":")
        broken.press(Key("p"))
        #expect(broken.text.contains("JSON, line 1"))
        let text = player("text/plain", "a")
        text.press(Key("p"))
        #expect(text.text.contains("the body is not JSON"))
    }

    @Test func `a curl command that is pasted into the composer becomes the request`() throws {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("n"), .enter)
        player.update(
            .input(
                .paste(
                    "curl 'https://api.test/x?a=1' \\\r  -H 'X-Own: 1' --data-raw '{\"b\":\r2}'")))
        #expect(player.text.contains("the curl command was pasted as a request"))
        player.press(Key("s"))
        let sent = try #require(player.server?.sent.first?.request)
        #expect(sent.method == .post)
        #expect(sent.url?.description == "https://api.test/x?a=1")
        #expect(sent.head?.fields["X-Own"] == "1")
        #expect(sent.body.kept == Array("{\"b\":\n2}".utf8))
    }

    @Test func `a pasted curl command that cannot be converted leaves the request unchanged`() {
        let player = player("text/plain", "kept")
        player.update(.input(.paste("curl http://h/ -d @secret")))
        #expect(player.text.contains("reads a file"))
        player.update(.input(.paste("curl 'ftp://h/'")))
        #expect(player.text.contains("URL:"))
        #expect(sentBody(player) == "kept")
    }
}
