import ProxydConfigurationText
import ProxydRules
import Testing

/// What is wrong with an action is told once, with its line and the name of the key.
struct RuleMistakeTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try RulesFile.read(text, file: "f", now: 0)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private func problems(of action: String, in phase: String = "request") -> [String] {
        problems("[[rule]]\nname = \"r\"\n\(phase) = [\n  { \(action) },\n]\n")
    }

    private func check(
        _ action: String, _ message: String, in phase: String = "request",
        _ place: SourceLocation = #_sourceLocation
    ) {
        let found = problems(of: action, in: phase)
        #expect(found.count == 1, "\(action): \(found)", sourceLocation: place)
        #expect(found.first?.hasPrefix("f:4: ") == true, "\(found)", sourceLocation: place)
        #expect(found.first?.contains(message) == true, "\(found)", sourceLocation: place)
    }

    @Test(arguments: [
        "", "request = []", "stop = false", "preset = []", "limit = 1", "enabled = false",
        "when = 'host=a'",
    ])
    func `a rule that has no action, no preset and no stop is rejected`(_ keys: String) {
        #expect(
            problems("\n[[rule]]\nname = \"r\"\n\(keys)\n") == [
                "f:2: this rule has nothing to do: add an action to connect, request or response, "
                    + "a preset, or stop = true"
            ])
    }

    @Test(arguments: ["stop = true", "preset = [\"no-cache\"]", "connect = [{ tag = \"t\" }]"])
    func `a rule is valid if it has only stop, only a preset or only one action`(_ keys: String) {
        #expect(problems("[[rule]]\nname = \"r\"\n\(keys)\n") == [])
    }

    @Test func `a rule whose only action is invalid is not also reported as having nothing to do`()
    {
        #expect(problems(of: "block = 1").count == 1)
        #expect(problems("[[rule]]\nname = \"r\"\npreset = [\"x\"]\n").count == 1)
    }

    @Test(arguments: [
        "duration>1s", "state=failed", "tag=t", "rule:a", "pinned=yes", "id=1", "upstream=up",
        "trailer.X:a", "grpc.status=5", "grpc.message:a", "stream=3", "h2.reset:a", "msg:a",
        "~e", "~marked", "~replay", "~replayq", "~comment a", "~tcp",
    ])
    func `a rule whose filter is decided only when an exchange has ended is rejected`(
        _ test: String
    ) {
        let field = test.prefix { !" .:=>".contains($0) }
        for list in ["response = [{ tag = \"t\" }]", "stop = true"] {
            let found = problems("[[rule]]\nname = \"r\"\nwhen = 'host=a \(test)'\n\(list)\n")
            #expect(
                found == ["f:3: column 8: \(field) is known only when an exchange has ended"],
                "\(test)")
        }
    }

    @Test(arguments: ["~q", "~s"], ["request", "response"])
    func `a rule whose filter asks whether a message is a request or a response is rejected`(
        _ test: String, _ list: String
    ) {
        let found = problems(
            "[[rule]]\nname = \"r\"\nwhen = 'host=a (!\(test))'\n\(list) = [{ tag = \"t\" }]\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("f:3: column 10: \(test) asks whether") == true, "\(found)")
        #expect(found.first?.contains("leave it out") == true, "\(found)")
    }

    @Test(arguments: [
        ("sett = \"body\", value = \"1\"", "unknown verb sett; did you mean set?"),
        ("x = 1", "unknown verb x"), ("", "an action has one verb; this one has none"),
        ("set = \"path\", block = 403", "this one has set, block"),
        ("remove = \"query:a\", value = \"1\"", "remove takes no value"),
        ("block = 403, host = \"keep\"", "block takes no host"),
        ("block = 403, hots = \"keep\"", "unknown key hots"),
        ("resolve = \"127.0.0.1\"", "resolve cannot be done to a request"),
        ("via = \"up\"", "via cannot be done to a request"),
    ])
    func `a rule action must have exactly one verb of its phase and only options of that verb`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        ("set = \"status\", value = 200", "a request has none"),
        ("set = \"reason\", value = \"Fine\"", "a request has none"),
        ("set = \"head:A\", value = \"1\"", "unknown target head:A"),
        ("set = \"header\", value = \"1\"", "unknown target header"),
        ("set = \"\", value = \"1\"", "unknown target"),
        ("set = \"header:\", value = \"1\"", "not a field name"),
        ("set = \"header:Proxy-Foo\", value = \"1\"", "connection field"),
        ("set = \"header:te\", value = \"1\"", "connection field"),
        ("remove = \"header:transfer-encoding\"", "is framing"),
        ("set = \"cookie:a b\", value = \"1\"", "not a cookie name"),
        ("set = \"cookie:\", value = \"1\"", "not a cookie name"),
        ("set = \"json:a[\", value = 1", "write the path as a.x[2].y"),
        ("add = \"json:a\", value = 1", "add cannot be done to json:a"),
        ("add = \"body\", value = \"1\"", "add cannot be done to body"),
        ("remove = \"method\"", "remove cannot be done to method"),
        ("replace = \"query:a\", match = 'a', with = \"\"", "replace cannot be done to query:a"),
        ("replace = \"cookie:a\", match = 'a', with = \"\"", "replace cannot be done to cookie:a"),
    ])
    func `a rule action whose target is invalid for its verb or phase is rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        ("set = \"query:a\", value = \"1\"", "a response has none"),
        ("set = \"url\", value = \"http://h/\"", "a response has none"),
        ("send_to = \"http://h/\"", "send_to cannot be done to a response"),
        ("mock = 'host=a'", "mock cannot be done to a response"),
        ("set = \"status\", value = 199", "a status is from 200 to 599"),
        ("set = \"status\", value = \"2e2\"", "a status is from 200 to 599"),
        ("set = \"reason\", value = \"a\\nb\"", "not a reason phrase"),
        ("replace = \"body\", match = 'a', with = \"\", each = \"word\"", "each must be \"line\""),
        (
            "replace = \"header:A\", match = 'a', with = \"\", each = \"line\"",
            "each works only on the body"
        ),
        ("throttle = \"offline\"", "offline is too late here"),
    ])
    func `a response action with a target, verb or value that responses do not have is rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message, in: "response")
    }

    @Test(arguments: [
        ("set = \"header:A\"", "set needs a value"),
        ("set = \"header:A\", secret = true", "set needs a value"),
        ("set = \"header:A\", value = \"a\\u0001\", secret = true", "no control characters"),
        ("set = \"header:A\", value = [\"a\"]", "expected a string, found an array"),
        ("set = \"header:A\", value = {}", "expected a string, found a table"),
        ("set = \"json:a\", value = nan", "expected a value"),
        ("set = \"json:a\", value = [1, [2020-01-01]]", "expected a value"),
        ("set = \"header:A\", value = 07:30:00", "expected a value, found a time"),
        ("set = \"method\", value = \"CONNECT\"", "not a method that a request can use"),
        ("set = \"method\", value = \"GET \"", "not a method that a request can use"),
        ("set = \"path\", value = \"a\"", "a path starts with /"),
        ("set = \"path\", value = \"/a?b\"", "a path starts with /"),
        ("set = \"path\", value = \"/a b\"", "a path starts with /"),
        ("set = \"query\", value = \"a b\"", "write %20"),
        ("set = \"query\", value = \"a#b\"", "write %20"),
        ("set = \"url\", value = \"/a\"", "not an http or https URL"),
        ("set = \"url\", value = \"http://h/#a\"", "not an http or https URL"),
        ("set = \"path\", value = \"/a\", secret = true", "path cannot be a secret"),
    ])
    func `a rule action with a missing or invalid value for its target is rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        ("replace = \"body\", match = 'a'", "replace needs both match and with"),
        ("replace = \"body\", with = 'a', times = 1", "replace needs both match and with"),
        ("replace = \"body\", match = 1, with = \"a\"", "match: expected a string"),
        ("replace = \"body\", match = '(', with = \"a\", secret = true", "bad regular expression"),
        ("replace = \"body\", match = 'a', with = \"$1\"", "with: "),
        ("replace = \"body\", match = 'a', with = \"\", times = 0", "times: at least 1"),
        ("remove = \"header:A\", match = '['", "bad regular expression"),
    ])
    func `a rule action with an invalid regular expression or replacement is rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        ("send_to = \"h.test\"", "without a query or fragment"),
        ("send_to = \"http://h.test/?a\"", "without a query or fragment"),
        ("send_to = \"http://h.test\", host = \"a/b\"", "\"change\", \"keep\" or a name"),
        ("send_to = \"http://h.test\", host = \"u@h\"", "\"change\", \"keep\" or a name"),
        ("send_to = \"http://h.test\", host = \"h?a\"", "\"change\", \"keep\" or a name"),
        ("send_to = \"http://h.test\", host = \"h:99999\"", "\"change\", \"keep\" or a name"),
        ("serve = \"/a\\u0000b\"", "serve takes an absolute path"),
        ("serve = \"/a\", index = \"\"", "the name of a file"),
        ("serve = \"/a\", index = \"..\"", "the name of a file"),
        ("serve = \"/a\", index = \"b/c\"", "the name of a file"),
        ("serve = \"/a\", missing = \"500\"", "\"404\" or \"forward\""),
        ("serve = \"/a\", headers = [\"A\"]", "\"Name: value\""),
        ("serve = \"/a\", headers = [\"A b: c\"]", "not a field name"),
        ("serve = \"/a\", headers = [\"Content-Length: 1\"]", "is framing"),
        ("respond = 199", "a status is from 200 to 599"),
        ("respond = 600", "a status is from 200 to 599"),
        ("respond = 200, type = \"a\\nb\"", "not a media type"),
        ("respond = 200, headers = [\"A: b\\r\\nC: d\"]", "no control characters"),
        ("block = 199", "a status is from 200 to 599"),
        ("block = \"drop\"", "\"close\", \"reset\" or \"hang\""), ("block = true", "\"hang\""),
    ])
    func `invalid options of send_to, serve, respond and block are rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        ("delay_ms = -1", "delay_ms: from 0 to 600000"),
        ("delay_ms = 600001", "delay_ms: from 0 to 600000"),
        ("delay_ms = 1, jitter_ms = -5", "jitter_ms: from 0 to 600000"),
        ("delay_ms = 1.5", "delay_ms: expected an integer"),
        ("hold = false", "write true, or omit the action"),
        ("hold = true, timeout_s = 0", "timeout_s: from 1 to 3600"),
        ("hold = true, timeout_s = 3601", "timeout_s: from 1 to 3600"),
        ("hold = true, otherwise = \"fail\"", "\"pass\" or \"drop\""),
        ("throttle = \"slow-3G\"", "did you mean slow-3g?"), ("throttle = 5", "throttle takes"),
        ("throttle = { up_kbps = 100000001 }", "up_kbps: from 1 to 100000000"),
        ("throttle = { latency_ms = 60001 }", "latency_ms: from 0 to 60000"),
        ("throttle = { stall_percent = -0.1 }", "stall_percent: from 0 to 100"),
        ("throttle = { scope = \"server\" }", "scope: expected one of"),
        ("throttle = { down = 1 }", "unknown key throttle.down"),
        ("tag = \"\"", "1 to 100 bytes"), ("tag = \"a\\tb\"", "without control characters"),
        ("tag = \"\\u007F\"", "without control characters"),
        ("mock = 'hots=a'", "unknown field \"hots\""),
        ("mock = 'host=a', unmatched = 199", "a status from 200 to 599"),
        ("mock = 'host=a', unmatched = \"pass\"", "\"close\" or \"forward\""),
        ("mock = 'host=a', match = [\"Accept\"]", "cannot match Accept: write header:NAME"),
        ("mock = 'host=a', ignore = [\"query:\"]", "cannot ignore query:"),
        ("mock = 'host=a', ignore = [\"json:a[\"]", "not a JSON path"),
        ("mock = 'host=a', order = \"random\"", "order: expected one of"),
        ("run = \"s\"", "there is no script named \"s\""),
    ])
    func `invalid options of delay_ms, hold, throttle, tag, mock and run are rejected`(
        _ action: String, _ message: String
    ) {
        check(action, message)
    }

    @Test(arguments: [
        "a.test", "256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1..3.4", "+1.2.3.4", "", ":",
        "[::1]", "::1]/x", "::1]:80", "1::2::3", "fe80::1%eth0", "12345::", "::1/64", "١.2.3.4",
    ])
    func `a resolve action with anything but an IP address is rejected`(_ text: String) {
        check("resolve = \"\(text)\"", "resolve takes an IP address", in: "connect")
    }

    @Test(arguments: ["via = \"\"", "client_certificate = \"\""])
    func `a rule that gives an empty name for an upstream or client certificate is rejected`(
        _ action: String
    ) {
        check(action, "takes a name", in: "connect")
    }
}
