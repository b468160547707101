import ClientLib
import Foundation

// Blocks 1 to 35 of Alamofire 5.12's AdvancedUsage.md: sessions and requests.

extension BlockRun {
    func advanced1() { start(AF.request("\(base)/1")) }

    func advanced2() {
        let session = Session.default
        start(session.request("\(base)/2"))
    }

    func advanced6() {
        let session = Session(startRequestsImmediately: false)
        let request = session.request("\(base)/6").response { _ in }
        keep(request.isInitialized)
    }

    func advanced8() {
        let policy = RetryPolicy()
        let session = Session(interceptor: policy)
        keep(session.configuration.startRequestsImmediately)
    }

    func advanced10() {
        let redirector = Redirector(behavior: .follow)
        let session = Session(redirectHandler: redirector)
        keep(session.configuration.startRequestsImmediately)
    }

    func advanced13() {
        let session = Session()
        session.withAllRequests { requests in requests.forEach { $0.suspend() } }
    }

    func advanced14() async {
        let session = Session()
        await withCheckedContinuation { continuation in
            session.cancelAllRequests(completingOn: .global()) { continuation.resume() }
        }
    }

    func advanced16() {
        let request = AF.request("\(base)/16")
        switch request.state {
        case .initialized: keep(request.isInitialized)
        case .resumed, .suspended, .cancelled, .finished: keep(false)
        }
    }

    func advanced17() {
        AF.request("\(base)/17")
            .uploadProgress { progress in print(progress) }
            .downloadProgress { progress in print(progress) }
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func advanced18() {
        let redirector = Redirector(behavior: .follow)
        AF.request("\(base)/18")
            .redirect(using: redirector)
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func advanced20() {
        AF.request("\(base)/20")
            .authenticate(username: "ada@a.test", password: "pw")
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func advanced21() {
        let credential = URLCredential(user: "ada", password: "pw", persistence: .none)
        AF.request("\(base)/21")
            .authenticate(with: credential)
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func advanced22() {
        AF.request("\(base)/22")
            .onURLRequestCreation { request in print(request) }
            .responseDecodable(of: Greeting.self) { debugPrint($0) }
    }

    func advanced24() {
        start(AF.request("\(base)/24").onHTTPResponse { response in print(response) })
    }

    func advanced25() {
        start(
            AF.request("\(base)/25").onHTTPResponse { response, completionHandler in
                print(response)
                completionHandler(.allow)
            })
    }

    func advanced26() {
        start(
            AF.request("\(base)/26").onHTTPResponse { response, completionHandler in
                print(response)
                completionHandler(.cancel)
            })
    }

    func advanced27() {
        start(
            AF.request("\(base)/27").onHTTPResponse { response in
                await Task.yield()
                return .allow
            })
    }

    func advanced28() async {
        let request = AF.request("\(base)/28")
        let responses = request.httpResponses()
        request.resume()
        for await response in responses { print(response) }
    }

    func advanced29() {
        AF.request("\(base)/29").responseDecodable(of: Greeting.self) { answer in
            print(answer.metrics as Any)
        }
    }

    func advanced30() {
        let judge: @Sendable (URLRequest?, HTTPURLResponse, [UInt8]?) -> Result<Void, any Error> = {
            $2 == nil ? .failure(Halt()) : .success(())
        }
        AF.request("\(base)/30").validate(judge).response { _ in }
    }

    func advanced31() {
        AF.request("\(base)/31")
            .validate { request, response, data in
                guard request != nil, let data, !data.isEmpty else { return .failure(Halt()) }
                return response.statusCode < 300 ? .success(()) : .failure(Halt())
            }
            .response { _ in }
    }

    func advanced34() {
        AF.download("\(base)/34").cancel { resumeData in print(resumeData as Any) }
    }

    func advanced35() {
        let judge: @Sendable (URLRequest?, HTTPURLResponse, URL?) -> Result<Void, any Error> = {
            _, _, file in file == nil ? .failure(Halt()) : .success(())
        }
        AF.download("\(base)/35").validate(judge).response { _ in }
    }
}
