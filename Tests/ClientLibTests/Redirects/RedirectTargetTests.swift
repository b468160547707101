import ClientLib
import ProxydHTTPModel
import Testing

/// How a Location is resolved.
struct RedirectTargetTests {
    private func resolve(_ location: [UInt8], from base: String) -> RedirectDecision {
        var fields = HeaderFields()
        fields.append(name: Array("Location".utf8), value: location)
        var chain = RedirectChain(policy: RedirectPolicy(allowsLeavingTLS: true))
        let request = RedirectRequest(
            method: .get, url: CookieTestURL.make(base), fields: HeaderFields())
        return chain.next(
            after: request, response: ResponseHead(status: 302, reason: "", fields: fields))
    }

    private func target(_ location: String, from base: String = "http://a/b/c/d;p?q") -> String? {
        guard case .follow(let next) = resolve(Array(location.utf8), from: base) else { return nil }
        return next.url.description
    }

    /// RFC 3986 §5.4 as far as its examples are http URLs; fragments are never sent.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", nil), ("g#s", "http://a/b/c/g"),
        ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", nil), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/../x", "http://a/b/c/g"),
    ])
    func `a relative Location is resolved as in the examples of RFC 3986`(
        location: String, expected: String?
    ) {
        #expect(target(location) == expected)
    }

    @Test(arguments: [
        ("HTTPS://H:8443/x", "https://H:8443/x"), ("http://h", "http://h/"),
        ("http://h?x", "http://h/?x"), ("//h:81/a/../b", "http://h:81/b"),
        ("http://[::1]:8080/", "http://[::1]:8080/"), ("/a b/é", "http://a/a%20b/%C3%A9"),
        ("/%2e%2E/%zz?%41", "http://a/%2e%2E/%zz?%41"), ("/a//b/", "http://a/a//b/"),
        ("?", "http://a/b/c/d;p?"), ("a:b/c", nil), ("./a:b", "http://a/b/c/a:b"),
        ("http://h:/x", "http://h/x"),
    ])
    func `a Location is resolved without changing its percent-encoding or the host's case`(
        location: String, expected: String?
    ) {
        #expect(target(location) == expected)
    }

    @Test func `resolving a Location keeps the dot segments and percent-encoding of the base URL`()
    {
        #expect(target("?x", from: "http://a/b/../c%2F") == "http://a/b/../c%2F?x")
        #expect(target("g", from: "http://a") == "http://a/g")
    }

    @Test(arguments: [
        ("ftp://h/", RedirectRefusal.unsupportedScheme),
        ("javascript:alert(1)", .unsupportedScheme),
        ("file:///etc/passwd", .unsupportedScheme), ("a:b/c", .unsupportedScheme),
        ("http:g", .badLocation), ("http:///x", .badLocation), ("//", .badLocation),
        ("http://h:0/", .badLocation), ("http://h:65536/", .badLocation),
        ("http://[::g]/", .badLocation), ("http://a b/", .badLocation), ("//u:p@h/", .userInfo),
        ("/a\tb", .badLocation), ("", .loop), ("#x", .loop), ("http://h\\@i/", .userInfo),
    ])
    func `a Location that cannot be requested is rejected with a reason`(
        location: String, refusal: RedirectRefusal
    ) {
        #expect(resolve(Array(location.utf8), from: "http://h/") == .refuse(refusal))
    }

    @Test func `bytes in a Location that are not UTF-8 are percent-encoded one by one`() {
        guard case .follow(let next) = resolve([0x2F, 0xFF, 0xE9], from: "http://h/") else {
            Issue.record("refused")
            return
        }
        #expect(next.url.origin == Array("/%FF%E9".utf8))
    }
}
