internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Prompts that users choose in their client. Their arguments are the user's own words.
enum PromptCatalog {
    private struct Prompt {
        let name: String
        let title: String
        let description: String
        let arguments: [(name: String, description: String, isRequired: Bool)]
        let text: @Sendable ([String: String]) -> String
    }

    static var list: JSONValue {
        .array(
            prompts.map { prompt in
                .members([
                    ("name", .string(prompt.name)), ("title", .string(prompt.title)),
                    ("description", .string(prompt.description)),
                    (
                        "arguments",
                        .array(
                            prompt.arguments.map {
                                .members([
                                    ("name", .string($0.name)),
                                    ("description", .string($0.description)),
                                    ("required", .bool($0.isRequired)),
                                ])
                            })
                    ),
                ])
            })
    }

    static func get(_ parameters: JSONValue) throws(RPCError) -> [(String, JSONValue)] {
        let name = parameters["name"]?.text ?? ""
        guard let prompt = prompts.first(where: { $0.name == name }) else {
            throw RPCError(.invalidParameters, "there is no prompt \(name.prefix(100))")
        }
        var values: [String: String] = [:]
        for member in parameters["arguments"]?.members ?? [] {
            values[member.name] = member.value.text.map { String($0.prefix(1_000)) }
        }
        for argument in prompt.arguments where argument.isRequired {
            guard values[argument.name]?.isEmpty == false else {
                throw RPCError(.invalidParameters, "the argument \(argument.name) is missing")
            }
        }
        let text = JSONValue.members([
            ("type", .string("text")), ("text", .string(prompt.text(values))),
        ])
        return [
            ("description", .string(prompt.description)),
            ("messages", .array([.members([("role", .string("user")), ("content", text)])])),
        ]
    }

    private static let prompts = [
        Prompt(
            name: "find_failures", title: "Find failures",
            description: "Finds failed requests and groups them by their cause.",
            arguments: [("filter", "Which exchanges, in the filter language.", false)]
        ) { values in
            """
            Find the requests that failed among the exchanges that proxyd recorded\
            \(values["filter"].map { " and that match the filter `\($0)`" } ?? ""). Summarize \
            first, then look at the errors (the filters `status>=400` and `error:""`), group them \
            by host, path and cause, and show one exchange of each group. For each group, say \
            what went wrong, whose fault it was, and what you are not sure of.
            """
        },
        Prompt(
            name: "compare_with_working_call", title: "Compare with a working call",
            description: "Explains why a request failed by comparing it with one that worked.",
            arguments: [("id", "The number of the exchange that failed.", true)]
        ) { values in
            """
            Exchange \(values["id"] ?? "") failed. Show it, find the newest exchange with the same \
            method, host and path that succeeded, compare the two with diff_exchanges, and explain \
            which difference is the likely cause.
            """
        },
        Prompt(
            name: "write_client_for", title: "Write a client",
            description: "Writes a client for the calls that were recorded.",
            arguments: [
                ("host", "The host whose calls are wanted.", true),
                ("language", "The programming language; Swift if absent.", false),
            ]
        ) { values in
            """
            Write a client in \(values["language"] ?? "Swift") for the API of \
            \(values["host"] ?? ""), from the exchanges that proxyd recorded with that host. \
            Find the distinct calls with summarize_exchanges by path, look at one or two exchanges \
            of each, and derive types from the bodies. Take credentials from the environment, \
            never from the recording.
            """
        },
    ]
}
