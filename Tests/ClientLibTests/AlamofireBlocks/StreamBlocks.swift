import ClientLib
import Foundation

// The blocks on streams: Usage 51 to 65, AdvancedUsage 32, 33, 70 to 73, 85 and 86.

extension BlockRun {
    struct Halt: Error {}

    func usage51() {
        let handler: @Sendable (DataStreamRequest.Stream<[UInt8], Never>) -> Void = { stream in
            let token: DataStreamRequest.CancellationToken = stream.token
            if case .stream = stream.event { token.cancel() } else { stream.cancel() }
        }
        AF.streamRequest("\(base)/51").responseStream(stream: handler)
    }

    func usage52() {
        AF.streamRequest("\(base)/52").responseStreamString { stream in
            let event: DataStreamRequest.Event<String, Never> = stream.event
            switch event {
            case .stream(let result): print(result.get())
            case .complete(let end): print(end)
            }
        }
    }

    func usage53() {
        AF.streamRequest("\(base)/53").responseStream { stream in
            guard case .complete(let end) = stream.event else { return }
            let request: URLRequest? = end.request
            let response: HTTPURLResponse? = end.response
            let error: AFError? = end.error
            print(request as Any, response as Any, end.metrics as Any, error as Any)
        }
    }

    func usage54() {
        AF.streamRequest("\(base)/54").responseStream(on: .global()) { stream in
            print(stream.value?.count ?? 0)
        }
    }

    func usage55() {
        AF.streamRequest("\(base)/55").responseStream { stream in
            switch stream.event {
            case let .stream(result):
                switch result {
                case let .success(data): print(data)
                }
            case let .complete(end): print(end)
            }
        }
    }

    func usage56() {
        AF.streamRequest("\(base)/56").responseStreamString(on: .global()) { stream in
            print(stream.value ?? "")
        }
    }

    func usage57() {
        AF.streamRequest("\(base)/57").responseStreamString { stream in
            switch stream.event {
            case let .stream(result):
                switch result {
                case let .success(text): print(text)
                }
            case let .complete(end): print(end)
            }
        }
    }

    func usage58() {
        AF.streamRequest("\(base)/58").responseStreamDecodable(
            of: Greeting.self, on: .global(), using: JSONDecoder(),
            preprocessor: PassthroughPreprocessor()
        ) { stream in print(stream.value?.name ?? "") }
    }

    func usage59() {
        AF.streamRequest("\(base)/59").responseStreamDecodable(of: Greeting.self) { stream in
            switch stream.event {
            case let .stream(result):
                switch result {
                case let .success(value): print(value)
                case let .failure(error): print(error)
                }
            case let .complete(end): print(end)
            }
        }
    }

    func usage62() {
        let request = AF.streamRequest("\(base)/62").responseStream { _ in }
        request.cancel()
    }

    func usage63() {
        AF.streamRequest("\(base)/63", automaticallyCancelOnStreamError: true)
            .responseStream { _ in }
    }

    func usage64() {
        AF.streamRequest("\(base)/64").responseStream { stream in
            print(stream)
            throw Halt()
        }
    }

    func usage65() {
        AF.streamRequest("\(base)/65").responseStream { stream in stream.cancel() }
    }

    func advanced32() {
        let judge: @Sendable (URLRequest?, HTTPURLResponse) -> Result<Void, any Error> = { _, _ in
            .success(())
        }
        AF.streamRequest("\(base)/32").validate(judge).responseStream { _ in }
    }

    func advanced33() {
        AF.streamRequest("\(base)/33")
            .validate { request, response in
                if request?.method == .get, response.statusCode == 200 { return .success(()) }
                return .failure(Halt())
            }
            .responseStream { _ in }
    }

    func advanced71() {
        AF.streamRequest("\(base)/71").responseStream(using: ByteSum()) { stream in
            print(stream.value ?? 0)
        }
    }

    func advanced72() {
        AF.streamRequest("\(base)/72").responseStreamDecodable(of: Greeting.self) { stream in
            print(stream.value?.name ?? "")
        }
    }

    func advanced73() {
        AF.streamRequest("\(base)/73").responseStream(
            using: DecodableStreamSerializer<Greeting>(decoder: JSONDecoder())
        ) { stream in print(stream.value?.name ?? "") }
    }

    func advanced85() async {
        let task = AF.streamRequest("\(base)/85").streamTask()
        for await stream in task.streamingData() { print(stream.value?.count ?? 0) }
    }

    func advanced86() async {
        let task = AF.streamRequest("\(base)/86").streamTask()
        for await stream in task.streamingData(automaticallyCancelling: false) {
            if stream.value != nil { break }
        }
    }
}

/// What is written instead of Alamofire's `DataStreamSerializer`: bytes come as an array.
struct ByteSum: DataStreamSerializer {
    func serialize(_ piece: [UInt8]) -> Int? { piece.reduce(0) { $0 + Int($1) } }
}
