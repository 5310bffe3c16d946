"""Reads personas and targets as JSON, and prints who passes each default rule of Keystone, with its scopes enforced."""
import json
import sys
import warnings

from oslo_config import cfg
from oslo_policy import policy

from keystone.common import policies

warnings.simplefilter('ignore')
asked = json.load(sys.stdin)
conf = cfg.ConfigOpts()
conf([])
enforcer = policy.Enforcer(conf)
conf.set_override('enforce_scope', True, 'oslo_policy')
conf.set_override('enforce_new_defaults', True, 'oslo_policy')
enforcer.register_defaults(policies.list_rules())
enforcer.load_rules()


def passes(rule, target, persona):
    # The dictionaries are changed by the library.
    return enforcer.enforce(rule, dict(target), json.loads(json.dumps(persona)), do_raise=False)


answer = {}
for rule in enforcer.registered_rules:
    if rule.startswith('identity:'):
        answer[rule] = {
            place: [name for name, persona in asked['personas'].items() if passes(rule, target, persona)]
            for place, target in asked['targets'].items()
        }
json.dump(answer, sys.stdout)
