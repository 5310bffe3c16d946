# Reads notifications, one on each line, and lets pycadf, the library of Keystone's notifications, judge their events.
import json
import sys
import warnings

from pycadf import cadftaxonomy, cadftype, event, resource, timestamp

# Not every id here is a UUID: `default` is a domain, as in Keystone.
warnings.simplefilter('ignore')


def resource_of(part):
    return resource.Resource(id=part['id'], typeURI=part['typeURI'])


count, problems = 0, []
for line in sys.stdin:
    notification = json.loads(line)
    payload = notification['payload']
    made = event.Event(
        eventType=payload['eventType'], id=payload['id'], eventTime=payload['eventTime'], action=payload['action'],
        outcome=payload['outcome'], initiator=resource_of(payload['initiator']), target=resource_of(payload['target']),
        observer=resource_of(payload['observer']))
    checks = {
        'typeURI': payload['typeURI'] == made.typeURI,
        'eventType': cadftype.is_valid_eventType(payload['eventType']),
        'action': cadftaxonomy.is_valid_action(payload['action']),
        'outcome': cadftaxonomy.is_valid_outcome(payload['outcome']),
        'eventTime': timestamp.is_valid(payload['eventTime']),
        'resources': all(cadftaxonomy.is_valid_resource(payload[part]['typeURI']) for part in ('initiator', 'target', 'observer')),
        'event': made.is_valid(),
    }
    count += 1
    problems += ['%s: %s' % (notification['event_type'], name) for name, good in checks.items() if not good]

for problem in problems:
    print(problem)
print('%d events, %d problems' % (count, len(problems)))
sys.exit(1 if problems or count == 0 else 0)
