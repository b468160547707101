import ClientLib
import ProxydHTTPModel
import Testing

/// Which request follows which response.
struct RedirectChainTests {
    private static let fields = HeaderFields([
        ("Host", "h"), ("Accept", "a"), ("Authorization", "secret"), ("COOKIE", "a=b"),
        ("Proxy-Authorization", "secret"), ("Origin", "http://h"), ("Content-Type", "t"),
        ("content-length", "1"), ("Referer", "http://h/"), ("X-Own", "1"), ("X-Own", "2"),
    ])

    private func head(_ status: Int, _ location: String?, _ others: String...) -> ResponseHead {
        var fields = HeaderFields()
        if let location { fields.append(name: "location", value: location) }
        for other in others { fields.append(name: other, value: "x") }
        return ResponseHead(status: status, reason: "", fields: fields)
    }

    private func request(_ method: HTTPMethod, _ url: String = "https://h/a") -> RedirectRequest {
        RedirectRequest(method: method, url: CookieTestURL.make(url), fields: Self.fields)
    }

    private func next(
        _ method: HTTPMethod, _ status: Int, _ location: String = "/b",
        policy: RedirectPolicy = RedirectPolicy()
    ) -> RedirectRequest? {
        var chain = RedirectChain(policy: policy)
        let decision = chain.next(after: request(method), response: head(status, location))
        guard case .follow(let next) = decision else { return nil }
        return next
    }

    @Test(arguments: [
        (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get),
        (307, .post, .post), (308, .post, .post), (301, .put, .put), (302, .delete, .delete),
        (303, .put, .get), (303, .delete, .get), (301, .get, .get), (303, .get, .get),
        (301, .head, .head), (303, .head, .head), (307, .get, .get),
    ])
    func `redirects change the method as browsers do, and a changed method drops the body`(
        status: Int, method: HTTPMethod, expected: HTTPMethod
    ) throws {
        let following = try #require(next(method, status))
        #expect(following.method == expected)
        #expect(following.keepsBody == (method == expected))
        #expect((following.fields["Content-Type"] == nil) == (method != expected))
        #expect((following.fields["Content-Length"] == nil) == (method != expected))
    }

    @Test func `with keepsPost, a POST stays a POST after a 301, but not after a 303`() {
        let policy = RedirectPolicy(keepsPost: true)
        #expect(next(.post, 301, policy: policy)?.method == .post)
        #expect(next(.post, 303, policy: policy)?.method == .get)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 399, 404])
    func `statuses other than 301, 302, 303, 307 and 308 are not followed, even with a Location`(
        status: Int
    ) {
        var chain = RedirectChain()
        #expect(chain.next(after: request(.get), response: head(status, "/b")) == .deliver)
    }

    @Test func `a redirect without a Location is returned as the response`() {
        var chain = RedirectChain()
        #expect(chain.next(after: request(.get), response: head(302, nil)) == .deliver)
    }

    @Test
    func `a redirect with several Location fields is followed only if they are equal`() {
        func decision(_ locations: [String]) -> RedirectDecision {
            var chain = RedirectChain()
            let fields = HeaderFields(locations.map { ("Location", $0) })
            return chain.next(
                after: request(.get),
                response: ResponseHead(status: 302, reason: "", fields: fields))
        }
        #expect(decision(["/b", "/c"]) == .refuse(.badLocation))
        guard case .follow = decision(["/b", "/b"]) else {
            Issue.record("refused")
            return
        }
    }

    @Test func `a redirect within the same origin keeps every header field`() {
        #expect(next(.get, 302)?.fields == Self.fields)
        #expect(next(.get, 302, "https://H:443/b")?.fields == Self.fields)
    }

    @Test(arguments: ["https://other/", "https://h:444/", "//sub.h/"])
    func `a redirect to another origin drops Host, Origin, cookies and credentials`(
        location: String
    ) throws {
        let names = try #require(next(.get, 302, location)).fields.pairs.map(\.name)
        #expect(names == ["Accept", "Content-Type", "content-length", "Referer", "X-Own", "X-Own"])
    }

    @Test
    func `a redirect from HTTPS to HTTP is followed only if allowed, and then without a Referer`()
        throws
    {
        #expect(next(.get, 302, "http://h/") == nil)
        var chain = RedirectChain()
        let decision = chain.next(after: request(.get), response: head(302, "http://h/"))
        #expect(decision == .refuse(.leavesTLS))
        let policy = RedirectPolicy(allowsLeavingTLS: true)
        let followed = try #require(next(.get, 302, "http://h/", policy: policy))
        #expect(followed.fields["Referer"] == nil && followed.fields["Authorization"] == nil)
    }

    @Test func `a redirect chain ends at the policy's limit, by default after 20 redirects`() {
        func followedCount(_ policy: RedirectPolicy) -> (Int, RedirectDecision) {
            var chain = RedirectChain(policy: policy)
            var current = request(.get)
            for index in 0..<100 {
                let decision = chain.next(after: current, response: head(302, "/\(index)"))
                guard case .follow(let next) = decision else { return (chain.count, decision) }
                current = next
            }
            return (chain.count, .deliver)
        }
        #expect(followedCount(RedirectPolicy()) == (20, .refuse(.tooMany)))
        #expect(followedCount(RedirectPolicy(countMax: 0)) == (0, .refuse(.tooMany)))
    }

    @Test func `a redirect loop is an error, unless its responses set a cookie`() {
        func walk(_ others: String...) -> RedirectDecision {
            var chain = RedirectChain()
            var current = request(.get)
            var decision = RedirectDecision.deliver
            for location in ["/b", "/a", "/b"] {
                var fields = HeaderFields([("Location", location)])
                for other in others { fields.append(name: other, value: "x=y") }
                decision = chain.next(
                    after: current,
                    response: ResponseHead(status: 302, reason: "", fields: fields))
                guard case .follow(let next) = decision else { return decision }
                current = next
            }
            return decision
        }
        #expect(walk() == .refuse(.loop))
        #expect(walk("Set-Cookie") != .refuse(.loop))
    }

    @Test func `a POST that is redirected to a GET of the same URL is not a loop`() {
        #expect(next(.post, 303, "/a")?.method == .get)
    }

    @Test func `a Redirector can follow, stop or modify a redirect`() async throws {
        let proposed = request(.get)
        let response = head(302, "/b")
        #expect(await Redirector.follow.redirect(proposed, for: response) == proposed)
        #expect(await Redirector.doNotFollow.redirect(proposed, for: response) == nil)
        let changed = await Redirector.modify { next, _ in
            var next = next
            next.method = .head
            return next
        }.redirect(proposed, for: response)
        #expect(changed?.method == .head)
        #expect(Redirector.follow(max: 5).policy.countMax == 5)
    }
}
