"""A compute node in plain Python: grpcio, the protocols, and nothing of Waypost's.

compute_node.py GRPC_ADDRESS HTTP_URL PROTOCOLS

Says "joined <member>" when it has joined, and ends when its input ends.
"""

import json
import os
import pathlib
import queue
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import grpc
import grpc_tools
from grpc_tools import protoc


def compile_protocols(protocols):
    """Makes stubs. Python has a module of its own called io, so the envelope moves out of there."""
    folder = pathlib.Path(tempfile.mkdtemp())
    envelope = (protocols / "io/cloudevents/v1/cloudevents.proto").read_text()
    service = (protocols / "org/cyoda/cloud/api/grpc/cyoda.proto").read_text()
    (folder / "cloudevents.proto").write_text(envelope)
    (folder / "cyoda.proto").write_text(
        service.replace("io/cloudevents/v1/cloudevents.proto", "cloudevents.proto"))
    known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    failed = protoc.main(["protoc", f"-I{folder}", f"-I{known}", f"--python_out={folder}",
                          f"--grpc_python_out={folder}", "cloudevents.proto", "cyoda.proto"])
    if failed:
        sys.exit("the protocols cannot be compiled")
    sys.path.insert(0, str(folder))


address, http, protocols = sys.argv[1:4]
compile_protocols(pathlib.Path(protocols))
import cloudevents_pb2  # noqa: E402
import cyoda_pb2_grpc  # noqa: E402

# No proxy knows better where this machine is.
channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
stub = cyoda_pb2_grpc.CloudEventsServiceStub(channel)
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def event(kind, payload):
    payload = {"id": str(uuid.uuid4()), **payload}
    return cloudevents_pb2.CloudEvent(
        id=str(uuid.uuid4()), source="python", spec_version="1.0", type=kind,
        text_data=json.dumps(payload))


def over_http(method, path, ticket=None, body=None):
    """The status and the answer."""
    request = urllib.request.Request(http + path, method=method)
    if body is not None:
        request.data = json.dumps(body).encode()
    if ticket:
        request.add_header("X-Tx-Token", ticket)
    try:
        with opener.open(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def note(text):
    return {"model": {"name": "note", "version": 1}, "data": {"text": text}}


def price(data, ticket):
    data["total"] = data["items"] * 450
    return data


def audit(data, ticket):
    data["audited"] = True
    return data


def notify(data, ticket):
    """Asked apart: what it writes stays, what it returns is dropped."""
    stub.entityManage(event("EntityCreateRequest", {"dataFormat": "JSON", "payload": note("sent")}),
                      metadata=[("tx-token", ticket)])
    data["notified"] = True
    return data


def stumble(data, ticket):
    """Asked apart: what it writes goes when it fails."""
    stub.entityManage(event("EntityCreateRequest", {"dataFormat": "JSON", "payload": note("lost")}),
                      metadata=[("tx-token", ticket)])
    raise RuntimeError("stumbled")


def receipt(data, ticket):
    """Writes and reads over HTTP in the transaction in which it is asked."""
    status, written = over_http("POST", "/api/entity/JSON/note/1", ticket, {"text": "receipt"})
    assert status == 200, written
    path = "/api/entity/" + written[0]["entityIds"][0]
    data["receipt"] = {
        "transaction": written[0]["transactionId"],
        "within": over_http("GET", path, ticket)[0],
        "outside": over_http("GET", path)[0],
    }
    return data


def ledger(data, ticket):
    """The same over gRPC; sees what the processor before has written."""
    metadata = [("tx-token", ticket)]
    created = stub.entityManage(
        event("EntityCreateRequest", {"dataFormat": "JSON", "payload": note("ledger")}),
        metadata=metadata)
    condition = {"type": "group", "operator": "AND", "conditions": []}
    search = {"model": {"name": "note", "version": 1}, "condition": condition}
    found = stub.entitySearchCollection(event("EntitySearchRequest", search), metadata=metadata)
    texts = [json.loads(it.text_data)["payload"]["data"]["text"] for it in found]
    outside = stub.entitySearchCollection(event("EntitySearchRequest", search))
    data["ledger"] = {
        "transaction": json.loads(created.text_data)["transactionInfo"]["transactionId"],
        "within": sorted(texts),
        "outside": len(list(outside)),
    }
    return data


def fail(data, ticket):
    raise RuntimeError("out of stock")


def die(data, ticket):
    os._exit(3)


PROCESSORS = {it.__name__: it for it in
              [price, audit, notify, stumble, receipt, ledger, fail, die]}
CRITERIA = {"is-large": lambda data: data["items"] > 10}

outgoing = queue.Queue()


def answer(asked, payload, ticket):
    said = {"requestId": payload["requestId"], "entityId": payload["entityId"], "success": True}
    kind = asked.type.replace("Request", "Response")
    try:
        data = payload["payload"]["data"]
        if "processorName" in payload:
            changed = PROCESSORS[payload["processorName"]](data, ticket)
            said["payload"] = {"type": "JSON", "data": changed}
        else:
            said["matches"] = CRITERIA[payload["criteriaName"]](data)
    except Exception as error:
        said.update(success=False, error={"code": "FAILED", "message": str(error)})
    outgoing.put(event(kind, said))


def listen():
    pool = ThreadPoolExecutor(16)
    for it in stub.startStreaming(iter(outgoing.get, None)):
        payload = json.loads(it.text_data)
        if it.type == "CalculationMemberGreetEvent":
            print("joined", payload["memberId"], flush=True)
        elif it.type == "CalculationMemberKeepAliveEvent":
            outgoing.put(event("EventAckResponse", {"sourceEventId": it.id}))
        elif it.type.endswith("CalculationRequest"):
            ticket = it.attributes["cyodatxtoken"].ce_string
            pool.submit(answer, it, payload, ticket)
    print("left", flush=True)


outgoing.put(event("CalculationMemberJoinEvent", {"tags": ["python", "orders"]}))
listening = threading.Thread(target=listen)
listening.start()
sys.stdin.read()
outgoing.put(None)
listening.join()
